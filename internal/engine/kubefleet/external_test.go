package kubefleet_test

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Once the scheduler has decided, a placement rolled out by staged update runs has nothing left to apply, and the plan says that a run changes the objects.
// Objects that the next run removes stay in the preview.
func TestExternal(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 2)
	w.Put(w.Env.Hub, app)
	e := w.Engine()
	request := placing(w)
	request.Wait = true
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	w.DeleteAtEnd(request)
	result, err := request.Apply(w.Context(), e) // a rollout by the test, with the same result as a staged update run
	if err != nil {
		t.Fatal(err)
	}
	available(t, w, result)
	request = request.After(result.Status)
	request.Spec.Strategy = &placement.Strategy{Type: placement.ExternalStrategy}
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:1]}
	for _, pending := range []bool{true, false} {
		preview, err := request.Preview(w.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if preview.Pending() != pending || !preview.OnHub().External {
			t.Errorf("pending: %t, external: %t", preview.Pending(), preview.OnHub().External)
		}
		i := slices.IndexFunc(preview.Clusters, func(c engine.ClusterPreview) bool { return c.Name == w.Members[1] })
		if pruned := prunes(preview.Clusters[i]); pruned != 2 {
			t.Errorf("a run is to delete %d objects", pruned)
		}
		if !pending {
			break
		}
		result, err := request.Apply(w.Context(), e)
		if err != nil || result.TimedOut || len(result.Objects) > 0 {
			t.Fatalf("%+v, %v", result, err)
		}
		request = request.After(result.Status)
		w.Eventually("the scheduler has decided", func() bool {
			read, err := request.Read(w.Context(), e)
			return err == nil && !read.Status.Clusters[w.Members[1]].IsScheduled()
		})
	}
	if w.Find(w.Members[1], "v1 ConfigMap $ns-app/settings") == nil {
		t.Error("the object is gone, although no update run has started")
	}
}

func prunes(cluster engine.ClusterPreview) int {
	n := 0
	for _, o := range cluster.Objects {
		if o.Action == takeover.ActionPrune {
			n++
		}
	}
	return n
}
