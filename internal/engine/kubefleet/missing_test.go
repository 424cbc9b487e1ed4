package kubefleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// An apply does not wait for a workload that lacks an object on a member, as the plan has shown. The next plan is empty and says it as well.
// The fake nodes of the tests start Pods without their Secrets, but no API server creates a Pod without its ServiceAccount.
func TestMissingReferenceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, app+`
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: needs, namespace: $ns-app}
spec:
  selector: {matchLabels: {app: needs}}
  template:
    metadata: {labels: {app: needs}}
    spec:
      serviceAccountName: runner
      containers: [{name: web, image: nginx}]
`)
	e := w.Past().(*kubefleet.Engine)
	patiently := pace
	patiently.Retry = time.Hour
	e.SetPace(patiently)
	request := placing(w)
	request.Wait = true
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	w.DeleteAtEnd(request)
	preview, err := request.Preview(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	lacks := func(preview *engine.Preview) bool {
		for _, o := range preview.Clusters[0].Objects {
			if o.Kind == "Deployment" {
				return len(o.Missing) == 1 && o.Missing[0].String() == w.Expand("ServiceAccount $ns-app/runner")
			}
		}
		return false
	}
	if !lacks(preview) {
		t.Fatalf("the plan does not say what is missing: %+v", preview.Clusters)
	}
	request.Expected = engine.Expect(preview)
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	result, err := request.Apply(ctx, e)
	if err != nil || result.TimedOut {
		t.Fatalf("%+v, %v", result, err)
	}
	named := false
	for _, o := range result.Objects {
		named = named || o.Kind == "Deployment" && o.Waiting != nil && len(o.Missing) == 1
	}
	if !named {
		t.Errorf("the result does not name what is missing: %+v", result.Objects)
	}
	second, err := request.After(result.Status).Preview(w.Context(), e)
	if err != nil || second.Pending() || !lacks(second) {
		t.Errorf("the second plan has something to do, or does not say what is missing: %+v, %v", second, err)
	}
}
