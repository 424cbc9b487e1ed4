package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

func configMap(name string) manifest.Identifier {
	return manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name}
}

// newDifference returns the difference of a field with a value on the cluster.
func newDifference(path string, is any) []diff.Difference {
	return []diff.Difference{{Path: path, InHub: int64(3), HasHub: true, InMember: is, HasMember: true}}
}

// TestSaltedMarks checks that equal values have different marks in two plans, and that each expectation accepts its own values and no others.
func TestSaltedMarks(t *testing.T) {
	t.Parallel()
	object := func(value string) ObjectPreview {
		return ObjectPreview{Identifier: configMap("own"), Action: takeover.ActionUpdate, Exists: true, Owned: true, ResourceVersion: "7", Mark: MarkFields("u1", newDifference("/a", "x"), "", value)}
	}
	taken := func(value string) ObjectPreview {
		return ObjectPreview{Identifier: configMap("taken"), Action: takeover.ActionTakeOver, Exists: true, Mark: Mark("u1", nil, value)}
	}
	plan := &Preview{Clusters: []ClusterPreview{{Name: "member-1", Picked: true, Objects: []ObjectPreview{object("1234"), taken("1234")}}}}
	first, second := reparsed(t, Expect(plan).Salted()), reparsed(t, Expect(plan).Salted())
	for _, o := range []ObjectPreview{object("1234"), taken("1234")} {
		one, _ := first.entry("member-1", o.Key())
		other, _ := second.entry("member-1", o.Key())
		if one.mark == other.mark || strings.TrimPrefix(one.mark, markEqual) == "" || strings.Contains(first.String()+one.mark, o.Mark) {
			t.Errorf("the marks of %s are %q and %q", o.Name, one.mark, other.mark)
		}
	}
	for value, agrees := range map[string]bool{"1234": true, "1235": false} {
		for _, e := range []*Expectation{first, second, first.And(Expect(plan))} {
			for what, problem := range map[string]string{
				"update": e.ContradictsUpdate("member-1", configMap("own").Key(), object(value).Mark), "takeover": e.Contradicts("member-1", configMap("taken").Key(), taken(value).Mark),
			} {
				if (problem == "") != agrees {
					t.Errorf("%s of %s: %q", what, value, problem)
				}
			}
			if e.Agreed("member-1", object(value), takeover.ActionUpdate) != agrees {
				t.Errorf("the update of %s: Agreed is %v", value, !agrees)
			}
		}
	}
	if problem := first.Contradicts("member-1", configMap("taken").Key(), Mark("u2", newDifference("/a", 1), "")); !strings.Contains(problem, "was equal to its manifest") {
		t.Error(problem)
	}
}

// reparsed returns an expectation that was written as text and parsed again.
func reparsed(t *testing.T, e *Expectation) *Expectation {
	t.Helper()
	out, err := ParseExpectation(e.String())
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != e.String() {
		t.Errorf("two texts of one expectation: %s and %s", e, out)
	}
	return out
}

func TestExpectation(t *testing.T) {
	t.Parallel()
	filled := &Contents{}
	filled.AddRoot(configMap("visitor"), "u")
	preview := &Preview{Clusters: []ClusterPreview{
		{Name: "member-1", Picked: true, Objects: []ObjectPreview{
			{Identifier: configMap("new"), Action: takeover.ActionCreate},
			{Identifier: configMap("equal"), Action: takeover.ActionTakeOver, Exists: true, Mark: Mark("u1", nil, "")},
			{Identifier: configMap("different"), Action: takeover.ActionTakeOver, Exists: true, Mark: Mark("u1", newDifference("/a", int64(2)), "")},
			{Identifier: configMap("left"), Action: takeover.ActionLeaveAlone, Exists: true, Mark: Mark("u1", nil, "")},
			{Identifier: configMap("own"), Action: takeover.ActionUpdate, Exists: true, Owned: true, Mark: MarkFields("u1", newDifference("/a", int64(2)), "", "")},
			{Identifier: configMap("unchanged"), Action: takeover.ActionNone, Exists: true, Owned: true},
			{
				Identifier: configMap("rejected"), Action: takeover.ActionReject, Obstacle: takeover.ObstacleAdmission, Exists: true, Owned: true,
				Mark: MarkFields("u1", newDifference("/a", int64(2)), "", ""),
			},
			{Identifier: configMap("deleted"), Action: takeover.ActionPrune},
			{Identifier: configMap("filled"), Action: takeover.ActionPrune, Contents: filled},
			{Identifier: configMap("unseen"), Action: takeover.ActionUnknown},
			{Identifier: configMap("kept"), Action: takeover.ActionOrphan},
			{Identifier: configMap("deferred"), Action: takeover.ActionDefer},
			{Identifier: configMap("recreated"), Action: takeover.ActionReplace},
			{
				Identifier: configMap("given"), Action: takeover.ActionTakeOverFrom, Exists: true, Given: &Given{From: "bulk"}, Mark: Mark("u1", nil, "from bulk"),
			},
			{Identifier: configMap("handed-over"), Action: takeover.ActionHandOver, Exists: true, To: "web"},
		}},
		{Name: "member-2", Picked: true, Err: errors.New("it does not answer")},
		{Name: "member-3"},
	}}
	expected := reparsed(t, Expect(preview))
	more := &Contents{}
	more.AddRoot(configMap("visitor"), "u")
	more.AddRoot(configMap("another"), "u")
	owned := &Contents{}
	owned.AddRoot(configMap("visitor"), "u")
	owned.Add(configMap("of-the-visitor"))
	takes := func(cluster, name, mark string) string {
		return expected.Contradicts(cluster, configMap(name).Key(), mark)
	}
	updates := func(cluster, name, mark string) string {
		return expected.ContradictsUpdate(cluster, configMap(name).Key(), mark)
	}
	deletes := func(cluster, name string, contents *Contents) string {
		return expected.ContradictsDeletion(cluster, configMap(name).Key(), contents)
	}
	for name, c := range map[string]struct{ got, want string }{
		"equal still":                 {takes("member-1", "equal", Mark("u1", nil, "")), ""},
		"equal no longer":             {takes("member-1", "equal", Mark("u1", newDifference("/a", int64(2)), "")), "was equal"},
		"different as it was":         {takes("member-1", "different", Mark("u1", newDifference("/a", int64(2)), "")), ""},
		"replaced by an equal one":    {takes("member-1", "equal", Mark("u2", nil, "")), "replaced"},
		"another value":               {takes("member-1", "different", Mark("u1", newDifference("/a", int64(4)), "")), "has changed"},
		"appeared":                    {takes("member-1", "new", Mark("u1", nil, "")), "did not show the takeover"},
		"not taken over then":         {takes("member-1", "left", Mark("u1", nil, "")), "did not show the takeover"},
		"own then":                    {takes("member-1", "unchanged", Mark("u1", nil, "")), "did not show the takeover"},
		"unselected then":             {takes("member-1", "other", Mark("u1", nil, "")), "did not show the takeover"},
		"unchecked":                   {takes("member-2", "equal", Mark("u1", nil, "")), "did not check"},
		"not configured then":         {takes("member-4", "equal", Mark("u1", nil, "")), "did not check"},
		"given":                       {expected.ContradictsGiven("member-1", configMap("given").Key(), Mark("u1", nil, "from bulk")), ""},
		"given by another":            {expected.ContradictsGiven("member-1", configMap("given").Key(), Mark("u1", nil, "from others")), "was equal"},
		"given no longer":             {takes("member-1", "given", Mark("u1", nil, "from bulk")), "another owner"},
		"given since":                 {expected.ContradictsGiven("member-1", configMap("equal").Key(), Mark("u1", nil, "")), "another owner"},
		"deletion of a handed":        {deletes("member-1", "handed-over", nil), "did not show the deletion"},
		"update":                      {updates("member-1", "own", MarkFields("u1", newDifference("/a", int64(2)), "", "")), ""},
		"update of another value":     {updates("member-1", "own", MarkFields("u1", newDifference("/a", int64(4)), "", "")), ""},
		"update of another field":     {updates("member-1", "own", MarkFields("u1", newDifference("/b", int64(2)), "", "")), "other fields"},
		"update of an unchanged":      {updates("member-1", "unchanged", MarkFields("u1", newDifference("/a", int64(2)), "", "")), "did not show an update"},
		"update that is already made": {updates("member-1", "own", MarkFields("u1", nil, "", "")), ""},
		"no update and no difference": {updates("member-1", "unchanged", MarkFields("u1", nil, "", "")), "did not show an update"},
		"update of a rejected one":    {updates("member-1", "rejected", MarkFields("u1", newDifference("/a", int64(2)), "", "")), ""},
		"update unchecked":            {updates("member-2", "own", MarkFields("u1", newDifference("/b", int64(2)), "", "")), ""},
		"deletion":                    {deletes("member-1", "deleted", nil), ""},
		"deletion of an unseen":       {deletes("member-1", "unseen", nil), ""},
		"deletion of a kept":          {deletes("member-1", "kept", nil), "did not show the deletion"},
		"deletion of a deferred":      {deletes("member-1", "deferred", nil), "did not show the deletion"},
		"deletion of another":         {deletes("member-1", "other", nil), "did not show the deletion"},
		"deletion unchecked":          {deletes("member-2", "deleted", nil), "did not check"},
		"deletion with contents":      {deletes("member-1", "filled", filled), ""},
		"with what those own":         {deletes("member-1", "filled", owned), ""},
		"with fewer contents":         {deletes("member-1", "filled", &Contents{}), ""},
		"with more contents":          {deletes("member-1", "filled", more), "have changed"},
		"with first contents":         {deletes("member-1", "deleted", more), "have changed"},
		"recreation":                  {expected.ContradictsReplacement("member-1", configMap("recreated").Key()), ""},
		"recreation of another":       {expected.ContradictsReplacement("member-1", configMap("own").Key()), "recreated"},
		"pick":                        {expected.ContradictsPick("member-2"), ""},
		"another pick":                {expected.ContradictsPick("member-3"), "did not show it as picked"},
	} {
		if (c.got == "") != (c.want == "") || !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", name, c.got, c.want)
		}
	}
}

// TestHandsOver checks that an object is handed over if one of two previews hands it over.
func TestHandsOver(t *testing.T) {
	t.Parallel()
	of := func(o ObjectPreview) *Expectation {
		o.Identifier = configMap("a")
		return reparsed(t, Expect(&Preview{Clusters: []ClusterPreview{{Name: "member-1", Objects: []ObjectPreview{o}}}}))
	}
	hands, deletes := of(ObjectPreview{Action: takeover.ActionHandOver, To: "web"}), of(ObjectPreview{Action: takeover.ActionPrune})
	for name, c := range map[string]struct {
		held    *Expectation
		cluster string
		want    string
	}{
		"shown": {hands, "member-1", "web"}, "shown first": {hands.And(deletes), "member-1", "web"}, "shown second": {deletes.And(hands), "member-1", "web"},
		"not shown": {deletes, "member-1", ""}, "elsewhere": {hands, "member-2", ""}, "no plan": {nil, "member-1", ""}, "nothing": {ExpectNothing(), "member-1", ""},
	} {
		if got := c.held.HandsOver(c.cluster, configMap("a").Key()); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestContradictsRename checks that an apply renames a placement only if its plan has shown the rename, or has not checked the cluster.
func TestContradictsRename(t *testing.T) {
	t.Parallel()
	expected := reparsed(t, Expect(&Preview{Clusters: []ClusterPreview{
		{Name: "member-1", FormerNames: []string{"web"}}, {Name: "member-2"}, {Name: "member-3", Err: errors.New("it does not answer")},
	}}))
	for name, c := range map[string]struct {
		held    *Expectation
		cluster string
		names   []string
		want    bool
	}{
		"shown":               {expected, "member-1", []string{"web"}, false},
		"another name":        {expected, "member-1", []string{"old", "web"}, true},
		"no name":             {expected, "member-2", nil, false},
		"not shown":           {expected, "member-2", []string{"web"}, true},
		"not checked":         {expected, "member-3", []string{"web"}, false},
		"no expectation":      {nil, "member-2", []string{"web"}, false},
		"not in the reviewed": {expected.And(Expect(&Preview{Clusters: []ClusterPreview{{Name: "member-1"}}})), "member-1", []string{"web"}, true},
	} {
		if problem := c.held.ContradictsRename(c.cluster, c.names); (problem != "") != c.want {
			t.Errorf("%s: %q", name, problem)
		}
	}
}

// TestNoExpectation checks that a nil expectation allows everything.
func TestNoExpectation(t *testing.T) {
	t.Parallel()
	var none *Expectation
	key := configMap("a").Key()
	if none.Contradicts("m", key, "=") != "" || none.ContradictsUpdate("m", key, "=") != "" || none.ContradictsDeletion("m", key, nil) != "" ||
		none.ContradictsPick("m") != "" || none.ContradictsReplacement("m", key) != "" || none.Verify(&Preview{}) != nil {
		t.Error("a nil expectation contradicts something")
	}
}

// TestExpectNothing checks what an apply may do if its plan could check nothing.
func TestExpectNothing(t *testing.T) {
	t.Parallel()
	nothing, key := reparsed(t, ExpectNothing()), configMap("a").Key()
	if nothing.ContradictsUpdate("m", key, "=") != "" || nothing.ContradictsPick("m") != "" {
		t.Error("an owned object may not be updated, or a cluster may not be picked")
	}
	if nothing.Contradicts("m", key, "=") == "" || nothing.ContradictsDeletion("m", key, nil) == "" {
		t.Error("an object may be taken over or deleted")
	}
}

// TestHold checks what stops an apply through a hub. Updates do not: agents send them regardless of a plan.
func TestHold(t *testing.T) {
	t.Parallel()
	of := func(action takeover.Action) *Preview {
		return &Preview{Hub: &HubPreview{}, Clusters: []ClusterPreview{{Name: "member-1", Picked: true, Objects: []ObjectPreview{
			{Identifier: configMap("a"), Action: action, Exists: true, Mark: Mark("u1", nil, "")},
		}}}}
	}
	planned := reparsed(t, Expect(of(takeover.ActionUpdate)))
	for action, isStopped := range map[takeover.Action]bool{
		takeover.ActionCreate: false, takeover.ActionUpdate: false, takeover.ActionNone: false, takeover.ActionPrune: true, takeover.ActionReplace: true,
	} {
		if err := planned.Verify(of(action)); (err != nil) != isStopped {
			t.Errorf("%s: %v", action, err)
		}
	}
	found := of(takeover.ActionLeaveAlone)
	found.Clusters[0].Objects[0].Obstacle, found.Clusters[0].Objects[0].Problem = takeover.ObstacleNotAgreed, "it appeared"
	err := planned.Verify(found)
	if err == nil || !strings.Contains(err.Error(), `ConfigMap shop/a on cluster "member-1": it appeared`) {
		t.Error(err)
	}
	found = of(takeover.ActionCreate)
	found.Clusters[0].Name = "member-2"
	if err := planned.Verify(found); err == nil || !strings.Contains(err.Error(), "did not show it as picked") {
		t.Error(err)
	}
}

// TestHoldOfClusters checks that an apply through a hub ends if a cluster cannot be checked, or if the placement picks other clusters now.
func TestHoldOfClusters(t *testing.T) {
	t.Parallel()
	of := func(clusters ...ClusterPreview) *Preview { return &Preview{Hub: &HubPreview{}, Clusters: clusters} }
	takes := []ObjectPreview{{Identifier: configMap("a"), Action: takeover.ActionTakeOver, Exists: true, Mark: Mark("u1", nil, "")}}
	unseen := errors.New("no route to host")
	for name, c := range map[string]struct {
		planned, now ClusterPreview
		want         string
	}{
		"checked both times":       {ClusterPreview{Picked: true, Resume: true}, ClusterPreview{Picked: true, Resume: true}, ""},
		"unchecked both times":     {ClusterPreview{Picked: true, Err: unseen}, ClusterPreview{Picked: true, Resume: true, Err: unseen}, ""},
		"unchecked now, pending":   {ClusterPreview{Picked: true}, ClusterPreview{Picked: true, Resume: true, Err: unseen}, "cannot be checked: no route to host"},
		"unchecked now, takeover":  {ClusterPreview{Picked: true, Objects: takes}, ClusterPreview{Picked: true, Err: unseen}, "cannot be checked"},
		"unchecked now, no change": {ClusterPreview{Picked: true}, ClusterPreview{Picked: true, Err: unseen}, ""},
		"picked now, unchecked":    {ClusterPreview{Err: unseen}, ClusterPreview{Picked: true, Resume: true, Err: unseen}, "did not show it as picked"},
		"picked now, placed there": {ClusterPreview{}, ClusterPreview{Picked: true}, ""},
		"no longer picked":         {ClusterPreview{Picked: true, Err: unseen}, ClusterPreview{Resume: true, Err: unseen}, "does not pick the cluster now"},
	} {
		c.planned.Name, c.now.Name = "member-1", "member-1"
		err := reparsed(t, Expect(of(c.planned))).Verify(of(c.now))
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), `cluster "member-1": `) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnd checks that both the plan and the reviewed preview bind an apply.
func TestAnd(t *testing.T) {
	t.Parallel()
	of := func(action takeover.Action, picked bool) *Expectation {
		return Expect(&Preview{Clusters: []ClusterPreview{{Name: "member-1", Picked: picked, Objects: []ObjectPreview{
			{Identifier: configMap("a"), Action: action, Exists: true, Mark: "=1", ResourceVersion: "7"},
		}}}})
	}
	key, shows, not := configMap("a").Key(), of(takeover.ActionTakeOver, true), of(takeover.ActionLeaveAlone, false)
	now := ObjectPreview{Identifier: configMap("a"), Mark: "=1", ResourceVersion: "7"}
	for name, c := range map[string]struct {
		held *Expectation
		want bool
	}{
		"both": {shows.And(shows), true}, "one": {shows.And(nil), true}, "the other": {(*Expectation)(nil).And(shows), true},
		"not the first": {not.And(shows), false}, "not the second": {shows.And(not), false},
		"three": {shows.And(shows).And(shows), true}, "not the third": {shows.And(shows).And(not), false}, "not the second of three": {shows.And(not).And(shows), false},
		"not the last of a pair": {shows.And(shows.And(not)), false},
	} {
		holds := []bool{
			c.held.Contradicts("member-1", key, "=1") == "", c.held.ContradictsPick("member-1") == "", c.held.Agreed("member-1", now, takeover.ActionTakeOver),
		}
		if !slices.Equal(holds, []bool{c.want, c.want, c.want}) {
			t.Errorf("%s: %v", name, holds)
		}
	}
	if deletes := of(takeover.ActionPrune, true); deletes.And(shows).ContradictsDeletion("member-1", key, nil) == "" ||
		deletes.And(deletes).ContradictsDeletion("member-1", key, nil) != "" {
		t.Error("a deletion must be in both expectations")
	}
	unchecked := Expect(&Preview{Clusters: []ClusterPreview{{Name: "member-1", Picked: true, Err: errors.New("timeout")}}})
	fails := ClusterPreview{Name: "member-1", Picked: true, Err: errors.New("timeout")}
	for _, e := range []*Expectation{shows.And(unchecked), unchecked.And(shows)} {
		if e.contradictsCluster(fails) == "" {
			t.Error("a cluster that one of the expectations checked cannot be checked now, and the hub is written")
		}
	}
}

// TestMarkOfPlacedValue checks that a plan binds an apply to the shown value: content that is placed from a hub can change between the two.
func TestMarkOfPlacedValue(t *testing.T) {
	t.Parallel()
	of := func(placed int64) []diff.Difference {
		return []diff.Difference{{Path: "/spec/replicas", InHub: placed, HasHub: true, InMember: int64(2), HasMember: true}}
	}
	if Mark("u1", of(3), "") == Mark("u1", of(5), "") || MarkFields("u1", of(3), "", "") == MarkFields("u1", of(5), "", "") {
		t.Error("the mark does not change with the placed value")
	}
}

// TestMarkWithoutUID checks that a mark cannot be computed from values alone.
func TestMarkWithoutUID(t *testing.T) {
	t.Parallel()
	differences := newDifference("/data/password", "guess")
	if Mark("u1", differences, "")[:16] == Mark("u2", differences, "")[:16] || MarkFields("u1", differences, "", "secret")[:16] == MarkFields("u2", differences, "", "secret")[:16] ||
		MarkFields("u1", differences, "", "secret")[16:] == MarkFields("u2", differences, "", "secret")[16:] {
		t.Error("objects with different UIDs have the same mark")
	}
}

// TestMarkOfCurrentValue checks that the mark of an own object changes with a current value unless the provider or an autoscaler has set it.
func TestMarkOfCurrentValue(t *testing.T) {
	t.Parallel()
	mark := func(current int64, manager diff.Manager) string {
		return MarkFields("u1", []diff.Difference{{Path: "/a", InHub: int64(3), HasHub: true, InMember: current, HasMember: true, Manager: manager}}, "ours", "")
	}
	ours, theirs, scaler := diff.Manager{Name: "ours"}, diff.Manager{Name: "kubectl-edit"}, diff.Manager{Name: "kube-controller-manager", Subresource: "scale"}
	for name, c := range map[string]struct {
		a, b  string
		equal bool
	}{
		"ours":                  {mark(1, ours), mark(2, ours), true},
		"unknown":               {mark(1, diff.Manager{}), mark(2, diff.Manager{}), true},
		"an autoscaler's":       {mark(1, scaler), mark(2, scaler), true},
		"not autoscaled before": {MarkFields("u1", nil, "ours", ""), mark(2, scaler), true},
		"theirs":                {mark(1, theirs), mark(2, theirs), false},
		"theirs, the same":      {mark(1, theirs), mark(1, theirs), true},
		"ours, now theirs":      {mark(1, ours), mark(1, theirs), false},
	} {
		if (c.a == c.b) != c.equal {
			t.Errorf("%s: %s and %s", name, c.a, c.b)
		}
	}
}

// TestKeepsAutoscaled checks that an apply keeps the value of an autoscaler unless its plan showed the field, and only on clusters that the plan has checked.
func TestKeepsAutoscaled(t *testing.T) {
	t.Parallel()
	scaled := diff.Difference{Field: "spec.replicas", HasHub: true, HasMember: true, Manager: diff.Manager{Name: "kube-controller-manager", Subresource: "scale"}}
	update := func(name string, differences ...diff.Difference) ObjectPreview {
		return ObjectPreview{Identifier: configMap(name), Action: takeover.ActionUpdate, Exists: true, Owned: true, Differences: differences}
	}
	objects := []ObjectPreview{update("shown", scaled), update("other", diff.Difference{Field: "spec.replicas", HasHub: true})}
	e := reparsed(t, Expect(&Preview{Clusters: []ClusterPreview{{Name: "member-1", Picked: true, Objects: objects}}}).Salted())
	byHub := Expect(&Preview{Hub: &HubPreview{}, Clusters: []ClusterPreview{{Name: "member-1", Picked: true}}})
	for _, c := range []struct {
		e                     *Expectation
		cluster, name, field  string
		keeps, keepsUnderBoth bool
	}{
		{e, "member-1", "shown", "spec.replicas", false, true},
		{e, "member-1", "shown", "spec.minReadySeconds", true, true},
		{e, "member-1", "other", "spec.replicas", true, true},
		{e, "member-2", "shown", "spec.replicas", false, false},
		{nil, "member-1", "shown", "spec.replicas", false, true},
		{ExpectNothing(), "member-1", "shown", "spec.replicas", false, true},
		{byHub, "member-1", "shown", "spec.replicas", false, true},
	} {
		object := configMap(c.name).Key()
		if got := c.e.KeepsAutoscaled(c.cluster, object, c.field); got != c.keeps {
			t.Errorf("%s of %s on %s: KeepsAutoscaled is %v", c.field, c.name, c.cluster, got)
		}
		nothingShown := Expect(&Preview{Clusters: []ClusterPreview{{Name: "member-1", Picked: true}}})
		if got := nothingShown.And(c.e).KeepsAutoscaled(c.cluster, object, c.field); got != c.keepsUnderBoth {
			t.Errorf("%s of %s on %s under two expectations: KeepsAutoscaled is %v", c.field, c.name, c.cluster, got)
		}
	}
}

// TestExpectationSize checks that an expectation grows with takeovers but not with creations, and stays small: a plan file contains it.
func TestExpectationSize(t *testing.T) {
	t.Parallel()
	of := func(action takeover.Action) int {
		cluster := ClusterPreview{Name: "member-1", Picked: true}
		for i := range 1000 {
			cluster.Objects = append(cluster.Objects, ObjectPreview{
				Identifier: configMap(fmt.Sprintf("settings-of-service-%d", i)), Action: action, Exists: true,
				Mark: Mark("u1", newDifference("/data/key", fmt.Sprint(i)), ""), ResourceVersion: fmt.Sprint(1000000 + 7*i),
			})
		}
		return len(Expect(&Preview{Clusters: []ClusterPreview{cluster}}).String())
	}
	if size := of(takeover.ActionTakeOver); size > 64<<10 {
		t.Errorf("1,000 takeovers take %d bytes", size)
	}
	if size := of(takeover.ActionCreate); size > 256 {
		t.Errorf("1,000 creations take %d bytes", size)
	}
}

func TestAgreed(t *testing.T) {
	t.Parallel()
	expected := reparsed(t, Expect(&Preview{Clusters: []ClusterPreview{{Name: "member-1", Objects: []ObjectPreview{
		{Identifier: configMap("a"), Action: takeover.ActionTakeOver, Mark: Mark("u1", nil, ""), ResourceVersion: "7"},
		{
			Identifier: configMap("owned"), Action: takeover.ActionReject, Obstacle: takeover.ObstacleOwnerReferences, Exists: true, Mark: Mark("u1", nil, ""),
			ResourceVersion: "7",
		},
	}}}}))
	given := Expect(&Preview{Clusters: []ClusterPreview{{Name: "member-1", Objects: []ObjectPreview{{
		Identifier: configMap("a"), Action: takeover.ActionTakeOverFrom, Given: &Given{From: "bulk"}, Mark: "=1", ResourceVersion: "7",
	}}}}})
	now := ObjectPreview{Identifier: configMap("a"), Given: &Given{From: "bulk"}, Mark: "=1", ResourceVersion: "7"}
	if !given.Agreed("member-1", now, takeover.ActionTakeOverFrom) || given.Agreed("member-1", ObjectPreview{Identifier: configMap("a"), Mark: "=1", ResourceVersion: "7"}, takeover.ActionTakeOver) {
		t.Error("a hand-over was accepted as another action")
	}
	mark := Mark("u1", nil, "")
	if expected.Agreed("member-1", ObjectPreview{Identifier: configMap("owned"), Mark: mark, ResourceVersion: "7"}, takeover.ActionTakeOver) {
		t.Error("an object that the plan shows as rejected was accepted for a takeover")
	}
	for name, c := range map[string]struct {
		action        takeover.Action
		version, mark string
		want          bool
	}{
		"the same":         {takeover.ActionTakeOver, "7", mark, true},
		"changed":          {takeover.ActionTakeOver, "8", mark, false},
		"without any":      {takeover.ActionTakeOver, "", mark, false},
		"another action":   {takeover.ActionUpdate, "7", mark, false},
		"another manifest": {takeover.ActionTakeOver, "7", Mark("u1", []diff.Difference{{Path: "data.a"}}, ""), false},
	} {
		now := ObjectPreview{Identifier: configMap("a"), Mark: c.mark, ResourceVersion: c.version}
		if got := expected.Agreed("member-1", now, c.action); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestParseExpectationOfOtherText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "v4.", "v4.!", "v4.aGVsbG8", "v4.H4sI", "member-1"} {
		if _, err := ParseExpectation(text); err == nil {
			t.Errorf("%q was parsed", text)
		}
	}
}

func TestParseExpectationOfOlderVersion(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"v1.H4sIAAAAAAAA_6quBQQAAP__Q7-mowIAAAA", "v2.H4sIAAAAAAAA_6quBQQAAP__Q7-mowIAAAA", "v3.H4sIAAAAAAAA_6quBQQAAP__Q7-mowIAAAA"} {
		_, err := ParseExpectation(text)
		if err == nil || !strings.Contains(err.Error(), "older version of the provider") || !strings.Contains(err.Error(), "create the preview again") {
			t.Error(err)
		}
	}
}
