package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestTakers checks to which placement an object is left. No object is left to a placement that is known not to take it over.
func TestTakers(t *testing.T) {
	t.Parallel()
	given := func(name, from string) ObjectPreview {
		return ObjectPreview{Identifier: configMap(name), Action: takeover.ActionTakeOverFrom, Given: &Given{From: from, UID: types.UID(name), Created: true}}
	}
	leaving := given("leaving", "bulk")
	leaving.Action = takeover.ActionPrune
	rejected := given("rejected", "bulk")
	rejected.Action, rejected.Obstacle = takeover.ActionReject, takeover.ObstacleAdmission
	preview := &Preview{Selected: []manifest.Identifier{configMap("selected")}, Clusters: []ClusterPreview{
		{Name: "member-1", Objects: []ObjectPreview{given("a", "bulk"), given("b", "others"), {Identifier: configMap("unread"), Action: takeover.ActionReject, Obstacle: takeover.ObstacleNotReadable}, {Identifier: configMap("new"), Action: takeover.ActionCreate}, leaving, rejected}},
		{Name: "member-2", Err: errors.New("no route")},
	}}
	web, unknown := NewTaker("web", Giver{Name: "bulk"}, preview), NewTaker("api", Giver{Name: "bulk", Removed: true}, nil)
	for name, c := range map[string]struct {
		takers       Takers
		cluster, key string
		want, why    string
	}{
		"taken":                          {Takers{web}, "member-1", "a", "web", ""},
		"taken, and deleted there":       {Takers{web}, "member-1", "leaving", "web", ""},
		"rejected":                       {Takers{web}, "member-1", "rejected", "web", ""},
		"taken from another":             {Takers{web}, "member-1", "b", "", ""},
		"created":                        {Takers{web}, "member-1", "new", "", ""},
		"of no placement":                {Takers{web}, "member-1", "other", "", ""},
		"unchecked":                      {Takers{web}, "member-2", "a", "web", "could not check the cluster"},
		"selected, unchecked":            {Takers{web}, "member-2", "selected", "web", "could not check the cluster"},
		"of no placement, unchecked":     {Takers{web}, "member-2", "other", "", ""},
		"no preview":                     {Takers{unknown}, "member-1", "other", "api", "could not determine which"},
		"taken by the other of two":      {Takers{unknown, web}, "member-1", "a", "web", ""},
		"unread":                         {Takers{web}, "member-1", "unread", "web", "could not read"},
		"not taken by the first of two":  {Takers{web, unknown}, "member-1", "other", "api", "could not determine which"},
		"no takers":                      {nil, "member-1", "a", "", ""},
		"on a cluster that is not known": {Takers{web}, "member-9", "a", "", ""},
	} {
		to, why := c.takers.Of(c.cluster, configMap(c.key).Key())
		if to != c.want || (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q, %q", name, to, why)
		}
	}
	for name, c := range map[string]struct {
		taker Taker
		want  bool
	}{
		"takes objects":         {web, true},
		"no preview":            {unknown, true},
		"takes none":            {NewTaker("web", Giver{Name: "nobody"}, &Preview{Clusters: []ClusterPreview{{Name: "member-1", Objects: []ObjectPreview{given("a", "bulk")}}}}), false},
		"unread":                {NewTaker("web", Giver{Name: "nobody"}, &Preview{Clusters: preview.Clusters[:1]}), true},
		"unchecked":             {NewTaker("web", Giver{Name: "nobody"}, &Preview{Selected: preview.Selected, Clusters: preview.Clusters[1:]}), true},
		"unchecked, no objects": {NewTaker("web", Giver{Name: "nobody"}, &Preview{Clusters: preview.Clusters[1:]}), false},
	} {
		if got := c.taker.Any(); got != c.want {
			t.Errorf("%s: Any is %t", name, got)
		}
	}
	if shared := web.Shared(NewTaker("api", Giver{Name: "bulk"}, preview)); len(shared) != 3 || shared[0].Object != configMap("a").Key() || len(web.Shared(unknown)) > 0 {
		t.Errorf("two takers share %v", shared)
	}
	if on := (Takers{web, unknown}).On("member-1"); len(on) != 3 || on[configMap("a").Key()].By != "web" || on[configMap("a").Key()].UID != "a" {
		t.Errorf("%v", on)
	}
}

// TestPlaced checks that objects that leave a placement are not among its placed objects, even if it still owns them.
func TestPlaced(t *testing.T) {
	t.Parallel()
	var objects []ObjectPreview
	for name, action := range map[string]takeover.Action{
		"kept": takeover.ActionNone, "pruned": takeover.ActionPrune, "left": takeover.ActionOrphan, "handed": takeover.ActionHandOver,
	} {
		objects = append(objects, ObjectPreview{Identifier: configMap(name), Action: action, Exists: true, Owned: true})
	}
	placed := (&Preview{Clusters: []ClusterPreview{{Name: "member-1", Objects: objects}}}).Placed()["member-1"]
	if len(placed) != 1 || !placed[configMap("kept").Key()] {
		t.Errorf("%v", placed)
	}
}

// TestTakersOfExpectation checks which placements a plan hands objects over to.
func TestTakersOfExpectation(t *testing.T) {
	t.Parallel()
	handed := func(name, to string) ObjectPreview {
		return ObjectPreview{Identifier: configMap(name), Action: takeover.ActionHandOver, To: to}
	}
	expected := Expect(&Preview{Clusters: []ClusterPreview{
		{Name: "member-1", Objects: []ObjectPreview{handed("a", "web"), handed("b", "api"), {Identifier: configMap("c"), Action: takeover.ActionPrune}}},
		{Name: "member-2", Objects: []ObjectPreview{handed("a", "web")}},
		{Name: "member-3", Err: errors.New("no route"), Objects: []ObjectPreview{handed("d", "shop"), {Identifier: configMap("e"), Action: takeover.ActionUnknown}}},
	}})
	expected, err := ParseExpectation(expected.String())
	if err != nil {
		t.Fatal(err)
	}
	if got := expected.Takers(); !slices.Equal(got, []string{"api", "shop", "web"}) {
		t.Errorf("the takers are %v", got)
	}
	if expected.Checked("member-3") || expected.HandsOver("member-3", configMap("d").Key()) != "shop" || expected.HandsOver("member-3", configMap("e").Key()) != "" {
		t.Error("the hand-overs on an unchecked cluster are wrong")
	}
	if got := (*Expectation)(nil).Takers(); got != nil {
		t.Errorf("without a plan, the takers are %v", got)
	}
}

// TestUnconfirmedError checks that the error names both placements, the cluster and the first objects.
func TestUnconfirmedError(t *testing.T) {
	t.Parallel()
	err := &UnconfirmedError{Giver: "bulk", Taker: "web", Cluster: "member-2", Why: "the signature does not match"}
	for i := range 12 {
		err.Objects = append(err.Objects, configMap(string(rune('a'+i))).Key())
	}
	for _, part := range []string{`"web" takes over 12 object(s) from "bulk"`, `"member-2"`, "signature", "shop/a", "and 2 more"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %s", part, err)
		}
	}
}

// TestPendingHandOverError checks that the error names the takers and the first objects, and the cluster unless the object has one placement
// on all clusters.
func TestPendingHandOverError(t *testing.T) {
	t.Parallel()
	err := &PendingHandOverError{Giver: "bulk", Objects: []PendingHandOver{{Cluster: "member-2", Identifier: configMap("a"), To: "web"}, {Identifier: configMap("b"), To: "api"}}}
	for i := range 10 {
		err.Objects = append(err.Objects, PendingHandOver{Identifier: configMap(string(rune('c' + i))), To: "web"})
	}
	for _, part := range []string{`"bulk" hands objects over to placement "api", "web"`, "12 of them", `a on "member-2", ConfigMap shop/b, `, "and 2 more", "Nothing was written", "Apply again"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %s", part, err)
		}
	}
}
