package kube

import (
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GetMetadata never receives an object's content, and returns an error for an answer about another object.
func TestGetMetadata(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	accepted := ""
	answer := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			accepted = r.Header.Get("Accept")
			writeJSON(w, http.StatusOK, map[string]any{
				"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{"name": name, "namespace": "web", "uid": "1"},
			})
		}
	}
	fake.on("GET /api/v1/namespaces/web/secrets/db", answer("db"))
	fake.on("GET /api/v1/namespaces/web/secrets/other", answer("db"))
	fake.on("GET /api/v1/namespaces/web/secrets/absent", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, status(http.StatusNotFound, "NotFound", "gone", map[string]any{"kind": "secrets", "name": "absent"}))
	})
	cluster := fake.cluster(t)
	ref := Ref{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Namespace: "web", Name: "db"}
	found, err := cluster.GetMetadata(t.Context(), ref)
	if err != nil || found.UID != "1" || accepted != metadataOfOne {
		t.Errorf("%+v, %v, Accept %q", found, err, accepted)
	}
	ref.Name = "other"
	if _, err := cluster.GetMetadata(t.Context(), ref); err == nil {
		t.Error("an answer about another object was accepted")
	}
	ref.Name = "absent"
	if _, err := cluster.GetMetadata(t.Context(), ref); !IsNotFound(err) {
		t.Errorf("an object that does not exist: %v", err)
	}
	for _, name := range []string{"..", "../configmaps/db", "db/status", "../services/db/proxy"} {
		ref.Name = name
		fake.log()
		if _, err := cluster.GetMetadata(t.Context(), ref); err == nil || IsNotFound(err) {
			t.Errorf("name %q: %v", name, err)
		}
		if sent := fake.log(); len(sent) > 0 {
			t.Errorf("name %q: sent %v", name, sent)
		}
	}
}
