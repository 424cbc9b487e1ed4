package memberapply

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

const (
	discovery = `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [{"metadata": {"name": ""}, "versions": [{"version": "v1",
	"resources": [{"resource": "configmaps", "responseKind": {"version": "v1", "kind": "ConfigMap"}, "scope": "Namespaced", "verbs": ["get", "patch"]}]}]}]}`
	notFound = `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "details": {"kind": "configmaps", "name": "a"}}`
)

// failingWriter returns an error for each write.
type failingWriter struct {
	memberpreview.Writer
	err error
}

func (w failingWriter) Write(context.Context, *memberpreview.Object, takeover.Action, bool) (*unstructured.Unstructured, error) {
	return nil, w.err
}

// TestPlaceDeletedObject checks that an object that was deleted after the preview fails with the reason, and not with the error of the API server.
func TestPlaceDeletedObject(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, r *http.Request) {
		response.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api" || r.URL.Path == "/apis" {
			response.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
			_, _ = io.WriteString(response, discovery)
			return
		}
		response.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(response, notFound)
	}))
	defer server.Close()
	client := kube.NewCluster("a", connection.Connection{Host: server.URL, Token: "a-token"}, kube.Options{}, nil)
	defer client.Close()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "default"}}}
	for resource, want := range map[string]error{"configmaps": errVanished, "namespaces": nil} {
		o := &memberpreview.Object{Desired: object, Live: object, Mapping: kube.Mapping{GVR: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespaced: true}}
		o.Version, o.Kind, o.Namespace, o.Name, o.Action = "v1", "ConfigMap", "default", "a", takeover.ActionUpdate
		writer := failingWriter{err: apierrors.NewNotFound(schema.GroupResource{Resource: resource}, "a")}
		r := New(&memberpreview.Member{Cluster: client, Writer: writer}, nil)
		_, err := r.place(t.Context(), o)
		if want == nil {
			want = writer.err
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", resource, err)
		}
	}
}
