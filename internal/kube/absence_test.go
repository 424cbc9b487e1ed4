package kube

import (
	"net/http"
	"testing"
)

// A kind counts as not served only if the API server answers for its whole group, and serves every CustomResourceDefinition of the group that the credentials
// may list.
func TestCheckUnserved(t *testing.T) {
	const group, version, definitions = "GET /apis/example.com", "GET /apis/example.com/v1", "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	answer := func(code int, object map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, code, object) }
	}
	refused := answer(http.StatusForbidden, status(http.StatusForbidden, "Forbidden", "no", nil))
	invalid := answer(http.StatusBadRequest, status(http.StatusBadRequest, "BadRequest", "no", nil))
	known := answer(http.StatusOK, map[string]any{"kind": "APIGroup", "apiVersion": "v1", "name": "example.com", "versions": []any{
		map[string]any{"groupVersion": "example.com/v1", "version": "v1"},
	}})
	serves := func(kinds ...string) http.HandlerFunc {
		resources := []any{}
		for _, kind := range kinds {
			resources = append(resources, map[string]any{"name": kind, "kind": kind, "namespaced": true, "verbs": []any{"list"}})
		}
		return answer(http.StatusOK, map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "example.com/v1", "resources": resources})
	}
	defines := func(names ...string) http.HandlerFunc {
		items := []any{}
		for _, name := range names {
			items = append(items, map[string]any{"metadata": map[string]any{"name": name}})
		}
		return answer(http.StatusOK, map[string]any{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{}, "items": items})
	}
	for name, test := range map[string]struct {
		answers  map[string]http.HandlerFunc
		unserved bool
	}{
		"no group":                   {map[string]http.HandlerFunc{definitions: defines("others.example.org")}, true},
		"no group, no definitions":   {nil, true},
		"definitions are refused":    {map[string]http.HandlerFunc{definitions: refused}, true},
		"another kind of the group":  {map[string]http.HandlerFunc{group: known, version: serves("Gadget"), definitions: defines("Gadget.example.com")}, true},
		"the kind":                   {map[string]http.HandlerFunc{group: known, version: serves("Widget"), definitions: defines()}, false},
		"the group is not answered":  {map[string]http.HandlerFunc{group: invalid, definitions: defines()}, false},
		"a version is not answered":  {map[string]http.HandlerFunc{group: known, version: invalid, definitions: defines()}, false},
		"a version was removed":      {map[string]http.HandlerFunc{group: known, definitions: defines()}, false},
		"a definition is not served": {map[string]http.HandlerFunc{definitions: defines("widgets.example.com")}, false},
		"definitions not answered":   {map[string]http.HandlerFunc{definitions: invalid}, false},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			for what, handler := range test.answers {
				fake.on(what, handler)
			}
			if err := fake.cluster(t).CheckUnserved(testContext(t), widgetGVK.GroupKind()); (err == nil) != test.unserved {
				t.Errorf("got %v, want unserved = %v", err, test.unserved)
			}
		})
	}
}
