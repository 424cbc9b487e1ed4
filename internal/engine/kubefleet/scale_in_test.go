package kubefleet_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// An apply that removes a placement from a cluster ends when the cluster is clean. If something blocks the removal, the apply times out, and the state names
// the cluster; the next apply continues to wait.
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
	work := fmt.Sprintf("%s Work fleet-member-%s/%s-work", hubKinds, leaves, w.Name)
	result, err = applyUntil(w, e, request, "the agent is to remove what is there", func() bool {
		live := w.Find(w.Env.Hub, work)
		return live != nil && live.GetDeletionTimestamp() != nil
	})
	if err != nil || !result.TimedOut {
		t.Fatalf("it is not waited for: %+v, %v", result, err)
	}
	if one, found := result.Status.Clusters[leaves]; !found || one.IsScheduled() || !one.HadObjects() {
		t.Errorf("%s is not reported to have objects: %+v", leaves, result.Status.Clusters)
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

// applyUntil applies with a recorded engine, and lets the apply time out once a condition holds and the engine has observed it.
func applyUntil(w *enginetest.World, e engine.Engine, request enginetest.Request, what string, so func() bool) (*engine.Result, error) {
	w.Helper()
	ctx, expire := enginetest.Expiring(w.Context())
	defer expire()
	var result *engine.Result
	ended := make(chan error, 1)
	go func() {
		var err error
		result, err = request.Apply(ctx, e)
		ended <- err
	}()
	w.Eventually(what, so)
	w.Reset()
	w.Eventually("the apply has looked again", func() bool {
		reads := slices.DeleteFunc(w.Requests(), func(r clusters.Request) bool {
			return r.Method != http.MethodGet || !strings.HasSuffix(r.Path, "/clusterresourceplacements/"+request.Name)
		})
		return len(reads) > 2 // the first one may have begun before, and the second one has not ended
	})
	expire()
	err := <-ended
	return result, err
}
