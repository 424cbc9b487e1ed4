package kube

import (
	"net/http"
	"testing"
)

// Only an API server that answers for the whole group, and keeps no definition of it unserved, proves that a kind has no objects.
func TestProveUnserved(t *testing.T) {
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
	keeps := func(names ...string) http.HandlerFunc {
		items := []any{}
		for _, name := range names {
			items = append(items, map[string]any{"metadata": map[string]any{"name": name}})
		}
		return answer(http.StatusOK, map[string]any{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{}, "items": items})
	}
	for name, test := range map[string]struct {
		answers map[string]http.HandlerFunc
		proved  bool
	}{
		"no group":                   {map[string]http.HandlerFunc{definitions: keeps("others.example.org")}, true},
		"no group, no definitions":   {nil, true},
		"definitions are refused":    {map[string]http.HandlerFunc{definitions: refused}, true},
		"another kind of the group":  {map[string]http.HandlerFunc{group: known, version: serves("Gadget"), definitions: keeps("Gadget.example.com")}, true},
		"the kind":                   {map[string]http.HandlerFunc{group: known, version: serves("Widget"), definitions: keeps()}, false},
		"the group is not answered":  {map[string]http.HandlerFunc{group: invalid, definitions: keeps()}, false},
		"a version is not answered":  {map[string]http.HandlerFunc{group: known, version: invalid, definitions: keeps()}, false},
		"a version was removed":      {map[string]http.HandlerFunc{group: known, definitions: keeps()}, false},
		"a definition is not served": {map[string]http.HandlerFunc{definitions: keeps("widgets.example.com")}, false},
		"definitions not answered":   {map[string]http.HandlerFunc{definitions: invalid}, false},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			for what, handler := range test.answers {
				fake.on(what, handler)
			}
			if err := fake.cluster(t).ProveUnserved(testContext(t), widgetGVK.GroupKind()); (err == nil) != test.proved {
				t.Errorf("got %v, proved is to be %v", err, test.proved)
			}
		})
	}
}
