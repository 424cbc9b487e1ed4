package enginetest

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Moves is how an engine reacts to changes of the members if the policy of an existing placement is unchanged.
type Moves struct {
	// Lost: a PickN placement picks another cluster if one leaves the fleet.
	Lost bool
	// Relabelled: a PickAll placement leaves a cluster whose labels no longer match.
	Relabelled bool
	// Removed is what the removal of a placement does to its objects on a cluster that has left the fleet.
	Removed takeover.Action
}

// AssumedMembers checks the previews of existing placements and of a new one for assumed changes of the members. It also checks that the previews write
// nothing.
func AssumedMembers(t *testing.T, f *Fleet, moves Moves) {
	t.Helper()
	w := f.World(t, 3)
	existing := w.Placing("$ns-assumed", assumedObject)
	existing.Spec.Policy = &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(2))}
	existing = w.Supplied(existing)
	w.DeleteAtEnd(existing)
	a := &assuming{World: w, existing: existing.After(w.Apply(existing).Status)}
	a.created = w.Placing("$ns-assumed-new", strings.ReplaceAll(assumedObject, "name: assumed", "name: assumed-new"))
	a.created.Spec.Policy = &placement.Policy{PlacementType: placement.PickAll}
	a.created = w.Supplied(a.created)
	w.Reset()
	a.engine = w.Engine()
	if a.picked = picksOf(a.preview(a.existing, engine.World{})); len(a.picked) != 2 {
		t.Fatalf("picked: %v", a.picked)
	}
	a.lost = a.picked[0]
	a.unreachable()
	a.gone(moves.Lost)
	a.removed(moves.Removed)
	a.added()
	a.tainted()
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("the previews write: %+v", writes)
	}
	a.relabelled(moves.Relabelled) // last, because a hub places all objects of the Namespace for each placement
}

const assumedObject = "{apiVersion: v1, kind: ConfigMap, metadata: {name: assumed, namespace: $ns}}"

// assuming is an existing placement on two of three members, and a placement that does not exist yet.
type assuming struct {
	*World
	engine            engine.Engine
	existing, created Request
	// picked are the clusters of the existing placement. lost is the cluster about which the previews assume something.
	picked []string
	lost   string
}

func (a *assuming) preview(request Request, world engine.World) *engine.Preview {
	a.Helper()
	request.World = world
	out, err := request.Preview(a.Context(), a.engine)
	if err != nil {
		a.Fatal(err)
	}
	return out
}

// changed returns a world in which the run changes the registration of the lost member to want, or removes it if want is nil.
func (a *assuming) changed(want *member.Spec, assumption engine.Assumption) engine.World {
	return engine.World{
		Members: map[string]engine.Planned[member.Spec]{a.lost: {Want: want, Was: &member.Spec{Name: a.lost}}},
		Assumed: map[string]engine.Assumption{a.lost: assumption},
	}
}

func (a *assuming) unreachable() {
	a.Helper()
	world := engine.World{Assumed: map[string]engine.Assumption{a.lost: engine.AssumeUnreachable}}
	shown := a.preview(a.existing, world)
	if got := picksOf(shown); !slices.Equal(got, a.picked) {
		a.Errorf("%s is unreachable: picks %v, before %v", a.lost, got, a.picked)
	}
	if c := clusterOf(shown, a.lost); !engine.IsAssumed(c.Err, engine.AssumeUnreachable) || c.CheckMethod != engine.CheckOffline {
		a.Errorf("%s is unreachable: %+v", a.lost, c)
	}
	if got := picksOf(a.preview(a.created, world)); slices.Contains(got, a.lost) || len(got) != len(a.Members)-1 {
		a.Errorf("%s is unreachable: a new placement picks %v", a.lost, got)
	}
}

func (a *assuming) gone(moves bool) {
	a.Helper()
	shown := a.preview(a.existing, a.changed(nil, engine.AssumeGone))
	want := []string{a.picked[1]}
	if moves {
		other := a.Members[slices.IndexFunc(a.Members, func(name string) bool { return !slices.Contains(a.picked, name) })]
		want = append(want, other)
		slices.Sort(want)
		if got := actionOn(shown, other); got != takeover.ActionCreate {
			a.Errorf("%s is gone: %s on %s", a.lost, got, other)
		}
	}
	if got := picksOf(shown); !slices.Equal(got, want) || shown.Fulfilled != moves {
		a.Errorf("%s is gone: picks %v, want %v; fulfilled: %v", a.lost, got, want, shown.Fulfilled)
	}
	if got := actionOn(shown, a.lost); got != takeover.ActionOrphan || !clusterOf(shown, a.lost).Leaving {
		a.Errorf("%s is gone: %s there: %+v", a.lost, got, clusterOf(shown, a.lost))
	}
}

// removed checks the preview of a removal, with which a replacement begins.
func (a *assuming) removed(gone takeover.Action) {
	a.Helper()
	for what, c := range map[string]struct {
		world engine.World
		want  takeover.Action
	}{
		"as it is":    {engine.World{}, takeover.ActionPrune},
		"unreachable": {engine.World{Assumed: map[string]engine.Assumption{a.lost: engine.AssumeUnreachable}}, ""},
		"gone":        {a.changed(nil, engine.AssumeGone), gone},
	} {
		request := a.existing
		request.World = c.world
		shown, err := request.PreviewDelete(a.Context(), a.engine)
		if err != nil {
			a.Fatal(err)
		}
		got := actionOn(shown, a.lost)
		if c.want == "" && got == takeover.ActionUnknown {
			got = ""
		}
		if got != c.want || engine.IsAssumed(clusterOf(shown, a.lost).Err, engine.AssumeUnreachable) != (c.want == "") {
			a.Errorf("%s is %s: the removal does %q there: %+v", a.lost, what, got, clusterOf(shown, a.lost))
		}
		if got := actionOn(shown, a.picked[1]); got != takeover.ActionPrune {
			a.Errorf("%s is %s: the removal does %q on %s", a.lost, what, got, a.picked[1])
		}
	}
}

func (a *assuming) added() {
	a.Helper()
	everywhere := a.existing
	everywhere.Spec.Policy = a.created.Spec.Policy
	shown := a.preview(everywhere, engine.World{
		Members: map[string]engine.Planned[member.Spec]{"assumed": {Want: &member.Spec{Name: "assumed"}}}, Assumed: map[string]engine.Assumption{"assumed": engine.AssumeNew},
	})
	if c := clusterOf(shown, "assumed"); !c.IsAssumedNew() || actionOn(shown, "assumed") != takeover.ActionCreate {
		a.Errorf("the new member: %+v", c)
	}
}

func (a *assuming) tainted() {
	a.Helper()
	world := a.changed(&member.Spec{Name: a.lost, Taints: []member.Taint{{Key: "assumed", Effect: placement.NoSchedule}}}, "")
	if got := picksOf(a.preview(a.existing, world)); !slices.Equal(got, a.picked) {
		a.Errorf("%s is tainted: picks %v, before %v", a.lost, got, a.picked)
	}
	if got := picksOf(a.preview(a.created, world)); slices.Contains(got, a.lost) {
		a.Errorf("%s is tainted: a new placement picks %v", a.lost, got)
	}
}

// relabelled applies a placement on the members without a label, and assumes the label on one of them.
func (a *assuming) relabelled(moves bool) {
	a.Helper()
	request := a.Placing("$ns-assumed-label", strings.ReplaceAll(assumedObject, "name: assumed", "name: assumed-label"))
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickAll, Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
		Required: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{{LabelSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "assumed", Operator: metav1.LabelSelectorOpDoesNotExist}},
		}}}},
	}}}
	request = a.Supplied(request)
	a.DeleteAtEnd(request)
	request = request.After(a.Apply(request).Status)
	a.Reset()
	world := a.changed(&member.Spec{Name: a.lost, Labels: map[string]string{"assumed": "yes"}}, "")
	if got := picksOf(a.preview(request, world)); slices.Contains(got, a.lost) == moves || len(got) < 2 {
		a.Errorf("%s is labelled: picks %v", a.lost, got)
	}
	if writes := a.Writes(); len(writes) > 0 {
		a.Errorf("the preview writes: %+v", writes)
	}
}

func picksOf(preview *engine.Preview) []string {
	var out []string
	for _, c := range preview.Clusters {
		if c.Picked {
			out = append(out, c.Name)
		}
	}
	return out
}

func clusterOf(preview *engine.Preview, name string) engine.ClusterPreview {
	i := slices.IndexFunc(preview.Clusters, func(c engine.ClusterPreview) bool { return c.Name == name })
	if i < 0 {
		return engine.ClusterPreview{}
	}
	return preview.Clusters[i]
}

// actionOn returns the action for the object named "assumed" on a cluster.
func actionOn(preview *engine.Preview, cluster string) takeover.Action {
	for _, o := range clusterOf(preview, cluster).Objects {
		if o.Name == "assumed" {
			return o.Action
		}
	}
	return ""
}
