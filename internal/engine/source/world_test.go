package source

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// TestPredictClusterScoped checks that an envelope changes no cluster-scoped envelope of the same name that belongs to another namespace.
func TestPredictClusterScoped(t *testing.T) {
	t.Parallel()
	cluster := envelope.TypeClusterResourceEnvelope
	encode := func(namespace, name string) *unstructured.Unstructured {
		u, err := envelope.Spec{Namespace: namespace, Name: name}.Encode(cluster)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	query := selection.Query{Kind: selection.Kind{Group: cluster.Kind().Group, Version: cluster.Kind().Version, Kind: cluster.Kind().Kind}}
	for name, c := range map[string]struct {
		// want is the planned envelope app/shared, and stores is whether it has a cluster-scoped part.
		want   *envelope.Spec
		stores bool
		answer []*unstructured.Unstructured
		names  string
	}{
		"deleted, of another namespace":      {nil, false, []*unstructured.Unstructured{encode("web", "shared")}, "web/shared"},
		"deleted":                            {nil, false, []*unstructured.Unstructured{encode("app", "shared"), encode("app", "other")}, "app/other"},
		"deleted, and not marked":            {nil, false, []*unstructured.Unstructured{encode("", "shared")}, ""},
		"only namespaced, another namespace": {&envelope.Spec{}, false, []*unstructured.Unstructured{encode("web", "shared")}, "web/shared"},
		"created":                            {&envelope.Spec{}, true, nil, "app/shared"},
		"changed":                            {&envelope.Spec{}, true, []*unstructured.Unstructured{encode("app", "shared")}, "app/shared"},
		"rejected, of another namespace":     {&envelope.Spec{}, true, []*unstructured.Unstructured{encode("web", "shared")}, "web/shared"},
	} {
		options := Options{
			World: engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{{Namespace: "app", Name: "shared"}: {Want: c.want}}},
			Kept: func(envelope.Spec) ([]*unstructured.Unstructured, error) {
				if !c.stores {
					return nil, nil
				}
				return []*unstructured.Unstructured{encode("app", "shared")}, nil
			},
		}
		got, err := options.predict(query, c.answer)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, u := range got {
			names = append(names, u.GetAnnotations()[envelope.NamespaceAnnotation]+"/"+u.GetName())
		}
		if strings.Join(names, " ") != c.names {
			t.Errorf("%s: got %q, want %q", name, names, c.names)
		}
	}
}

// TestPredict checks that the predicted answer to a query contains exactly those planned envelopes of the same run that the query includes.
func TestPredict(t *testing.T) {
	t.Parallel()
	spec := func(name, level string) *envelope.Spec {
		return &envelope.Spec{
			Namespace: "app", Name: name, Labels: map[string]string{"team": "a"}, Manifests: map[string]string{"level": level},
		}
	}
	planned := func(want *envelope.Spec) engine.Planned[envelope.Spec] {
		return engine.Planned[envelope.Spec]{Want: want}
	}
	reference := func(name string) engine.Reference { return engine.Reference{Namespace: "app", Name: name} }
	world := engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{
		reference("new"): planned(spec("new", "new")), reference("changed"): planned(spec("changed", "after")), reference("removed"): planned(nil),
		reference("partial"): {Want: &envelope.Spec{Namespace: "app", Name: "partial"}, Partial: true},
	}}
	there := func() []*unstructured.Unstructured {
		return []*unstructured.Unstructured{
			spec("changed", "before").ConfigMap(), spec("removed", "before").ConfigMap(), spec("partial", "before").ConfigMap(), spec("other", "before").ConfigMap(),
		}
	}
	configMap := selection.Kind{Version: "v1", Kind: "ConfigMap", Namespaced: true}
	all := map[string]string{"changed": "after", "new": "new", "partial": "before", "other": "before"}
	for name, c := range map[string]struct {
		query  selection.Query
		answer []*unstructured.Unstructured
		want   map[string]string
	}{
		"everything":                     {selection.Query{Kind: configMap}, there(), all},
		"the namespace":                  {selection.Query{Kind: configMap, Namespace: "app"}, there(), all},
		"another namespace":              {selection.Query{Kind: configMap, Namespace: "web"}, nil, nil},
		"by name":                        {selection.Query{Kind: configMap, Namespace: "app", Name: "new"}, nil, map[string]string{"new": "new"}},
		"another by name":                {selection.Query{Kind: configMap, Namespace: "app", Name: "other"}, there()[3:], map[string]string{"other": "before"}},
		"by label":                       {selection.Query{Kind: configMap, LabelSelector: "team=a"}, there(), all},
		"by another label":               {selection.Query{Kind: configMap, LabelSelector: "team=b"}, nil, nil},
		"of another kind":                {selection.Query{Kind: selection.Kind{Version: "v1", Kind: "Secret", Namespaced: true}}, nil, nil},
		"an object that will be deleted": {selection.Query{Kind: configMap, Namespace: "app", Name: "removed"}, there()[1:2], nil},
	} {
		got, err := Options{World: world}.predict(c.query, c.answer)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %d objects: %v, %v", name, len(got), got, err)
		}
		for _, u := range got {
			if level, _, _ := unstructured.NestedString(u.Object, "data", "level"); level != c.want[u.GetName()] {
				t.Errorf("%s: %s has %q", name, u.GetName(), level)
			}
		}
	}
}
