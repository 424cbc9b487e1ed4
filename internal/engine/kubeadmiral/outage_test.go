package kubeadmiral_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// TestRemovalInAnOutage checks that no Namespace remains if the API server of the host or a member temporarily cannot list a kind: the removal returns an
// error, and the next removal continues.
func TestRemovalInAnOutage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := fleet.World(t, 3)
	request := dropped(t, w)
	request.Manifests = w.Manifests(own, aNamespace, kept)
	for _, at := range []string{w.Members[1], w.Env.Hub} {
		undo := w.Inject(clusters.Fault{Context: at, Status: http.StatusServiceUnavailable, Match: func(r clusters.Request) bool {
			return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/$ns-in/secrets"))
		}})
		wantUnchecked(t, w, previewedRemoval(t, w, request), "Secret", w.Members...)
		if _, err := request.Delete(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "Secret") || !strings.Contains(err.Error(), "Destroy again") {
			t.Errorf("%s: the removal says %v", at, err)
		}
		wantPresent(t, w, inNamespace, everywhere(w)...)
		if w.Find(w.Env.Hub, "core.kubeadmiral.io/v1alpha1 ClusterPropagationPolicy "+request.Name) == nil {
			t.Errorf("%s: the policy is gone", at)
		}
		undo()
	}
	if result := w.Delete(request); len(result.Warnings) > 0 {
		t.Errorf("%v", result.Warnings)
	}
	gone(t, w, inNamespace, everywhere(w)...)
}
