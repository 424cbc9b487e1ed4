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

// TestObserveUnpicked checks that a refresh keeps the resource index and the UID of clusters that PickFixed names and that are not picked. Without them, a
// removal would skip the objects that remain there.
func TestObserveUnpicked(t *testing.T) {
	t.Parallel()
	const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}"
	unreachable := &engine.UnreachableError{Cluster: "a", Err: &kube.Error{}}
	left := func(index string) placement.ClusterStatus {
		return placement.ClusterStatus{ClusterUID: "u", ObservedResourceIndex: index}
	}
	for name, c := range map[string]struct {
		member plan.MemberState
		prior  placement.ClusterStatus
		index  string
	}{
		"unreachable, had objects": {plan.MemberState{Err: unreachable}, left("3"), "3"},
		"unreachable, had none":    {plan.MemberState{Err: unreachable}, left(""), ""},
		"has left the fleet":       {plan.MemberState{UID: "u", Inventory: &record.Inventory{Head: record.Head{Name: "p", ResourceIndex: 4}}}, left("3"), "4"},
		"has no record":            {plan.MemberState{UID: "u"}, left(""), ""},
	} {
		p := engine.Placement{
			Reference: engine.Reference{Name: "p"}, Manifests: map[string]string{"a": text},
			Spec:  placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"a"}}},
			Prior: &placement.Status{Clusters: map[string]placement.ClusterStatus{"a": c.prior}},
		}
		member := c.member
		member.Name, member.Client, member.OtherPlacements = "a", &kube.Cluster{}, &plan.OtherPlacements{}
		found, err := plan.From(t.Context(), clusterset.New(nil, nil, 0), p, &plan.Survey{Members: []*plan.MemberState{&member}}, plan.Options{Purpose: plan.Reading})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, known := Observe(found).Clusters["a"]
		if !known || got.IsScheduled() || got.ObservedResourceIndex != c.index {
			t.Errorf("%s: %+v", name, got)
		}
		if got.HadObjects() && got.ClusterUID != "u" {
			t.Errorf("%s: the UID is %q", name, got.ClusterUID)
		}
	}
}
