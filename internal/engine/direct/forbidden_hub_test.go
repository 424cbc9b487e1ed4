package direct_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestForbiddenKindsOnHub checks that one error names all kinds of a selected Namespace that the hub's credentials may not list.
func TestForbiddenKindsOnHub(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-source}}")
	kinds := map[string]string{"services": "Service", "secrets": "Secret", "configmaps": "ConfigMap"}
	for resource := range kinds {
		w.Inject(clusters.Fault{Context: w.Env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
			return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/namespaces/$ns-source/")+resource)
		}})
	}
	request := w.newRequest("selected")
	request.Spec.ResourceSelectors = []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: w.Expand("$ns-source")}}
	_, err := request.Preview(t.Context(), subject.New(w.Connect(enginetest.Access{Kubeconfig: w.Kubeconfig(), WithHub: true})))
	if err == nil {
		t.Fatal("the preview does not fail")
	}
	for _, kind := range kinds {
		w.Contains(err.Error(), w.Expand("cannot list "+kind+" in namespace $ns-source"))
	}
}
