package kubefleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// An apply that takes a placement off a cluster ends when the cluster is clean. Where something holds that up the apply runs out of time, and the
// state names the cluster; the next apply waits on.
func TestScaleIn(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 2)
	w.Put(w.Env.Hub, app)
	e := w.Engine()
	stays, leaves := w.Members[0], w.Members[1]
	request := placing(w)
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{stays, leaves}}
	w.DeleteAtEnd(request)
	result, err := request.Apply(w.Context(), e)
	if err != nil || result.TimedOut {
		t.Fatalf("%+v, %v", result, err)
	}
	const settings = "v1 ConfigMap $ns-app/settings"
	free := func() {
		if w.Find(leaves, settings) != nil {
			w.Edit(leaves, settings, "{metadata: {finalizers: null}}")
		}
	}
	defer free()
	w.Edit(leaves, settings, "{metadata: {finalizers: [example.com/held]}}")

	request = request.After(result.Status)
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{stays}}
	ctx, cancel := context.WithTimeout(w.Context(), 15*time.Second)
	defer cancel()
	result, err = request.Apply(ctx, e)
	if err != nil || !result.TimedOut {
		t.Fatalf("it is not waited for: %+v, %v", result, err)
	}
	if one, found := result.Status.Clusters[leaves]; !found || one.IsScheduled() || !one.HadObjects() {
		t.Errorf("%s is not told to have objects: %+v", leaves, result.Status.Clusters)
	}
	free()
	result, err = request.After(result.Status).Apply(w.Context(), e)
	if err != nil || result.TimedOut {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, found := result.Status.Clusters[leaves]; found || w.Find(leaves, settings) != nil {
		t.Errorf("%s is not clean: %+v", leaves, result.Status.Clusters)
	}
}
