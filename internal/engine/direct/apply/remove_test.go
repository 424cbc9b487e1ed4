package apply

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

const discovery = `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [{"metadata": {"name": ""}, "versions": [{"version": "v1",
	"resources": [{"resource": "configmaps", "responseKind": {"version": "v1", "kind": "ConfigMap"}, "scope": "Namespaced", "verbs": ["get", "patch"]}]}]}]}`

// TestOrphanWhoseLabelChanges checks that orphan removes the last-applied annotation from an object whose label another client removes in the meantime, and
// leaves the object unchanged if another placement has taken it over.
func TestOrphanWhoseLabelChanges(t *testing.T) {
	t.Parallel()
	newObject := func(set string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
			"name": "a", "namespace": "default", "uid": "u", "resourceVersion": "1", "annotations": map[string]any{kube.DefaultLastAppliedAnnotation: "{}"},
		}}}
		if set != "" {
			applyset.Mark(u, set)
		}
		return u
	}
	for name, c := range map[string]struct {
		now     string
		patches int
	}{
		"removed":  {"", 2},
		"replaced": {record.ApplySetID("other"), 1},
	} {
		var patches []string
		server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			response.Header().Set("Content-Type", "application/json")
			switch {
			case r.URL.Path == "/api", r.URL.Path == "/apis":
				response.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
				_, _ = io.WriteString(response, discovery)
				return
			case r.Method == http.MethodPatch:
				if patches = append(patches, string(body)); len(patches) == 1 {
					response.WriteHeader(http.StatusConflict)
					_, _ = io.WriteString(response, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Conflict", "code": 409}`)
					return
				}
			}
			_ = json.NewEncoder(response).Encode(newObject(c.now).Object)
		}))
		client := kube.NewCluster("a", connection.Connection{Host: server.URL, Token: "a-token"}, kube.Options{}, nil)
		p := &plan.Plan{}
		p.Placement.Name = "p"
		on := &cluster{Cluster: &plan.Cluster{MemberState: &plan.MemberState{Client: client}}, plan: p}
		err := on.orphan(t.Context(), &memberpreview.Object{Live: newObject(record.ApplySetID("p"))})
		client.Close()
		server.Close()
		if err != nil || len(patches) != c.patches {
			t.Errorf("%s: %v, %v", name, err, patches)
		}
		if last := patches[len(patches)-1]; c.patches == 2 && (!strings.Contains(last, kube.DefaultLastAppliedAnnotation) || strings.Contains(last, applyset.PartOfLabel)) {
			t.Errorf("%s: the last patch is %s", name, last)
		}
	}
}
