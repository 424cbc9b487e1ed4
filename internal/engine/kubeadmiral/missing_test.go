package kubeadmiral_test

import (
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// An apply does not wait for a workload that lacks an object on a member, as the plan has shown.
func TestMissingReferenceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}\n---"+enginetest.Needing)
	e := w.Past().(*kubeadmiral.Engine)
	patiently := pace
	patiently.Retry = time.Hour
	e.SetPace(patiently)
	w.MissingReference(e, enginetest.Request{Name: w.Name, Spec: placement.Spec{
		ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: w.Name}},
		Policy:            &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members},
	}})
}
