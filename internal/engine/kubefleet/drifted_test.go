package kubefleet_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// An agent that has found a drift with IfNotDrifted counts the object as not applied, and does not remove it when it leaves the placement (KubeFleet,
// pkg/controllers/workapplier: findLeftOverManifests).
func TestRemovedWhileDrifted(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	const second = "v1 ConfigMap $ns-app/second"
	w := fleet.World(t, 1)
	member := w.Members[0]
	w.Put(w.Env.Hub, app+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: second, namespace: $ns-app}, data: {a: '1'}}")
	request := placing(w).Strategy(placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted})
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	w.DeleteAtEnd(request)
	e := w.Engine()
	request = request.After(w.ApplyBy(e, request).Status)
	w.Edit(member, second, "{data: {a: theirs}}")
	w.Eventually("the agent has noticed the drift", func() bool {
		read, err := request.Read(w.Context(), e)
		return err == nil && len(read.Status.Clusters[member].DriftedPlacements) > 0
	})
	w.Remove(w.Env.Hub, second)
	preview, err := request.Preview(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if o.Name == "second" && o.Action != takeover.ActionNone {
				t.Errorf("predicted: %s", o.Action)
			}
		}
	}
	w.ApplyBy(e, request)
	if owners := w.Must(member, second).GetOwnerReferences(); len(owners) != 1 || owners[0].Kind != agent.AppliedWork {
		t.Errorf("owners: %v", owners)
	}
}
