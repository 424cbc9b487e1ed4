package apply

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var errUnreachable = &engine.UnreachableError{Cluster: "a", Err: &kube.Error{}}

// planOf returns the plan for a refresh of a placement on one member. It sends no requests.
func planOf(t *testing.T, p engine.Placement, member plan.MemberState) *plan.Plan {
	t.Helper()
	p.Name, p.Spec.Policy = "p", &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"a"}}
	member.Name, member.Client, member.OtherPlacements = "a", &kube.Cluster{}, &plan.OtherPlacements{}
	survey := &plan.Survey{Members: []*plan.MemberState{&member}}
	out, err := plan.From(t.Context(), clusterset.New(nil, nil, 0), p, survey, plan.Options{Purpose: plan.Reading})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestObserveUnpicked checks that a refresh keeps the resource index and the UID of clusters that PickFixed names and that are not picked. Without them, a
// removal would skip the objects that remain there.
func TestObserveUnpicked(t *testing.T) {
	t.Parallel()
	const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}"
	left := func(index string) placement.ClusterStatus {
		return placement.ClusterStatus{ClusterUID: "u", ObservedResourceIndex: index}
	}
	for name, c := range map[string]struct {
		member plan.MemberState
		prior  placement.ClusterStatus
		index  string
	}{
		"unreachable, had objects": {plan.MemberState{Err: errUnreachable}, left("3"), "3"},
		"unreachable, had none":    {plan.MemberState{Err: errUnreachable}, left(""), ""},
		"has left the fleet":       {plan.MemberState{UID: "u", Inventory: &record.Inventory{Head: record.Head{Name: "p", ResourceIndex: 4}}}, left("3"), "4"},
		"has no record":            {plan.MemberState{UID: "u"}, left(""), ""},
	} {
		prior := &placement.Status{Clusters: map[string]placement.ClusterStatus{"a": c.prior}}
		found := planOf(t, engine.Placement{Manifests: map[string]string{"a": text}, Prior: prior}, c.member)
		got, known := Observe(found).Clusters["a"]
		if !known || got.IsScheduled() || got.ObservedResourceIndex != c.index {
			t.Errorf("%s: %+v", name, got)
		}
		if got.HadObjects() && got.ClusterUID != "u" {
			t.Errorf("%s: the UID is %q", name, got.ClusterUID)
		}
	}
}
