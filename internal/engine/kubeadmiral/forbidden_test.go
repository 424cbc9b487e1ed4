package kubeadmiral_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// forbid makes the host reject reads of a path, as for credentials without this permission.
func forbid(w *enginetest.World, path string) (allow func()) {
	return w.Inject(clusters.Fault{Context: w.Env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.Path, path)
	}})
}

// TestForbiddenKinds checks a removal with credentials that may not list all kinds. If the placement has objects of such a kind, the removal returns an error
// that names the kind, and releases nothing. Otherwise it skips the kind and reports it.
func TestForbiddenKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, settings)
	request := selecting(w)
	again := request.After(applied(t, w, request).Status)
	allow := forbid(w, "/api/v1/configmaps")
	_, err := again.Delete(w.Context(), w.Engine())
	if err == nil {
		t.Fatal("it is removed without having been looked for")
	}
	w.Contains(err.Error(), "the kind ConfigMap", `the verb "list" on configmaps in all namespaces`)
	allow()
	if now := w.Must(w.Env.Hub, "v1 ConfigMap $ns-app/settings"); now.GetLabels()[v1alpha1.ClusterPolicyLabel] != again.Name {
		t.Errorf("it was released: %v", now.GetLabels())
	}
	defer forbid(w, "/apis/batch/v1/cronjobs")()
	defer forbid(w, "/api/v1/secrets")()
	result, err := again.Delete(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "cronjobs.batch, secrets were not checked") &&
		!strings.Contains(result.Warnings[0], "secrets, cronjobs.batch were not checked") {
		t.Errorf("%v", result.Warnings)
	}
	if w.Find(w.Members[0], "v1 ConfigMap $ns-app/settings") != nil || w.Find(w.Env.Hub, "core.kubeadmiral.io/v1alpha1 ClusterPropagationPolicy "+again.Name) != nil {
		t.Error("the placement is still there")
	}
}

// If the credentials do not allow the provider to list events, the status has no reasons.
func TestForbiddenEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	w.Put(w.Members[0], "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns}, data: {a: theirs}}")
	request := w.Placing("$ns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns}, data: {a: ours}}").
		Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverNever})
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	result := applied(t, w, request)
	defer forbid(w, "/events")()
	read, err := request.After(placement.Status{}).Read(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if failed := read.Status.Clusters[w.Members[0]].FailedPlacements; len(failed) != 1 || failed[0].Condition.Message != v1alpha1.StatusAlreadyExists {
		t.Errorf("%+v", read.Status)
	}
	w.Delete(request.After(result.Status))
}
