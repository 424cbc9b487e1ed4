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

// Moves are the reasons for which an engine moves an existing placement whose policy is unchanged.
type Moves struct {
	// Lost: a PickN placement picks another cluster if one leaves the fleet.
	Lost bool
	// Relabelled: a PickAll placement leaves a cluster whose labels no longer match.
	Relabelled bool
}

// AssumedMembers checks the previews of existing placements and of a new one under assumptions, and that they write nothing.
func AssumedMembers(t *testing.T, f *Fleet, moves Moves) {
	t.Helper()
	w := f.World(t, 3)
	const object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: assumed, namespace: $ns}}"
	existing := w.Placing("$ns-assumed", object)
	existing.Spec.Policy = &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(2))}
	existing = w.Supplied(existing)
	w.DeleteAtEnd(existing)
	existing = existing.After(w.Apply(existing).Status)
	everywhere := existing
	everywhere.Spec.Policy = &placement.Policy{PlacementType: placement.PickAll}
	created := w.Placing("$ns-assumed-new", "{apiVersion: v1, kind: ConfigMap, metadata: {name: assumed-new, namespace: $ns}}")
	created.Spec.Policy = everywhere.Spec.Policy
	created = w.Supplied(created)

	w.Reset()
	e := w.Engine()
	preview := func(request Request, world engine.World) *engine.Preview {
		t.Helper()
		request.World = world
		out, err := request.Preview(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := preview(existing, engine.World{})
	picked := picksOf(before)
	if len(picked) != 2 {
		t.Fatalf("picked: %v", picked)
	}
	lost := picked[0]
	other := w.Members[slices.IndexFunc(w.Members, func(name string) bool { return !slices.Contains(picked, name) })]

	unreachable := engine.World{Assumed: map[string]engine.Assumption{lost: engine.AssumeUnreachable}}
	shown := preview(existing, unreachable)
	if got := picksOf(shown); !slices.Equal(got, picked) {
		t.Errorf("%s is unreachable: picks %v, before %v", lost, got, picked)
	}
	if c := clusterOf(shown, lost); !engine.IsAssumed(c.Err, engine.AssumeUnreachable) || c.CheckMethod != engine.CheckOffline {
		t.Errorf("%s is unreachable: %+v", lost, c)
	}
	if got := picksOf(preview(created, unreachable)); slices.Contains(got, lost) || len(got) != len(w.Members)-1 {
		t.Errorf("%s is unreachable: a new placement picks %v", lost, got)
	}

	shown = preview(existing, engine.World{
		Members: map[string]engine.Planned[member.Spec]{lost: {Was: &member.Spec{Name: lost}}}, Assumed: map[string]engine.Assumption{lost: engine.AssumeGone},
	})
	want := []string{picked[1]}
	if moves.Lost {
		want = append(want, other)
		slices.Sort(want)
		if got := actionOn(shown, other); got != takeover.ActionCreate {
			t.Errorf("%s is gone: %s on %s", lost, got, other)
		}
	}
	if got := picksOf(shown); !slices.Equal(got, want) || shown.Fulfilled != moves.Lost {
		t.Errorf("%s is gone: picks %v, want %v; fulfilled: %v", lost, got, want, shown.Fulfilled)
	}
	if got := actionOn(shown, lost); got != takeover.ActionOrphan || !clusterOf(shown, lost).Leaving {
		t.Errorf("%s is gone: %s there: %+v", lost, got, clusterOf(shown, lost))
	}

	shown = preview(everywhere, engine.World{
		Members: map[string]engine.Planned[member.Spec]{"assumed": {Want: &member.Spec{Name: "assumed"}}}, Assumed: map[string]engine.Assumption{"assumed": engine.AssumeNew},
	})
	if c := clusterOf(shown, "assumed"); !c.IsAssumedNew() || actionOn(shown, "assumed") != takeover.ActionCreate {
		t.Errorf("the new member: %+v", c)
	}

	tainted := member.Spec{Name: lost, Taints: []member.Taint{{Key: "assumed", Effect: placement.NoSchedule}}}
	world := engine.World{
		Members: map[string]engine.Planned[member.Spec]{lost: {Want: &tainted, Was: &member.Spec{Name: lost}}}, Assumed: map[string]engine.Assumption{lost: ""},
	}
	if got := picksOf(preview(existing, world)); !slices.Equal(got, picked) {
		t.Errorf("%s is tainted: picks %v, before %v", lost, got, picked)
	}
	if got := picksOf(preview(created, world)); slices.Contains(got, lost) {
		t.Errorf("%s is tainted: a new placement picks %v", lost, got)
	}
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("the previews write: %+v", writes)
	}

	// Only now, because a hub places all objects of the Namespace for each placement.
	unlabelled := w.Placing("$ns-assumed-label", strings.ReplaceAll(object, "name: assumed", "name: assumed-label"))
	unlabelled.Spec.Policy = &placement.Policy{PlacementType: placement.PickAll, Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
		Required: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{{LabelSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "assumed", Operator: metav1.LabelSelectorOpDoesNotExist}},
		}}}},
	}}}
	unlabelled = w.Supplied(unlabelled)
	w.DeleteAtEnd(unlabelled)
	unlabelled = unlabelled.After(w.Apply(unlabelled).Status)
	w.Reset()
	labelled := member.Spec{Name: lost, Labels: map[string]string{"assumed": "yes"}}
	world.Members = map[string]engine.Planned[member.Spec]{lost: {Want: &labelled, Was: &member.Spec{Name: lost}}}
	if got := picksOf(preview(unlabelled, world)); slices.Contains(got, lost) == moves.Relabelled || len(got) < 2 {
		t.Errorf("%s is labelled: picks %v", lost, got)
	}
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("the previews write: %+v", writes)
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

// actionOn returns the action for the object assumed on a cluster.
func actionOn(preview *engine.Preview, cluster string) takeover.Action {
	for _, o := range clusterOf(preview, cluster).Objects {
		if o.Name == "assumed" {
			return o.Action
		}
	}
	return ""
}
