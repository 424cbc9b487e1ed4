package convert

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
)

// TestFieldsOfOldHubs checks for every kind that a field of v1beta1 that v1 does not have is rejected at its attribute, before it is sent. It uses the
// CustomResourceDefinitions of the tests and all published ones. Envelopes, budgets and evictions have no v1.
func TestFieldsOfOldHubs(t *testing.T) {
	own, err := crds.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	writable := map[schema.GroupKind]map[string]bool{}
	for _, definition := range own {
		writable[crds.Kind(definition)] = fieldsOf(definition, versions[0])
	}
	releases := map[string][]*unstructured.Unstructured{"of the tests": own}
	t.Run("published", func(t *testing.T) { maps.Copy(releases, crds.Published(t)) })
	for release, definitions := range releases {
		var refused []string
		for _, definition := range definitions {
			kind := crds.Kind(definition)
			old := fieldsOf(definition, "v1")
			for _, field := range slices.Sorted(maps.Keys(fieldsOf(definition, versions[0]))) {
				if len(old) == 0 || old[field] || !writable[kind][field] || !old[parent(field)] {
					continue
				}
				refused = append(refused, kind.Kind+" "+attributes(field))
				if got := refusals(t, kind.WithVersion("v1"), field); !slices.Equal(got, []string{attributes(field)}) {
					t.Errorf("%s: %s in v1 has no %s, and refused is %v", release, kind.Kind, field, got)
				}
			}
		}
		if !slices.Contains(refused, "MemberCluster delete_options") || !slices.Contains(refused, "ClusterResourcePlacement strategy.delete_strategy") {
			t.Errorf("%s: only %v are missing in v1", release, refused)
		}
	}
}

// fieldsOf returns the fields below the spec of a version, such as "strategy.rollingUpdate" and "rules[].name", and "" for the spec itself. The result is
// empty if the version does not exist.
func fieldsOf(definition *unstructured.Unstructured, name string) map[string]bool {
	out := map[string]bool{}
	for _, version := range crds.Versions(definition) {
		if version.Name == name {
			spec, _, _ := unstructured.NestedMap(version.Schema, "properties", "spec")
			collect(out, "", spec)
		}
	}
	return out
}

func collect(into map[string]bool, at string, node map[string]any) {
	into[at] = true
	if items, is := node["items"].(map[string]any); is {
		collect(into, at+"[]", items)
	}
	properties, _ := node["properties"].(map[string]any)
	for name, property := range properties {
		below, _ := property.(map[string]any)
		collect(into, strings.TrimPrefix(at+"."+name, "."), below)
	}
}

func parent(field string) string {
	if above, is := strings.CutSuffix(field, "[]"); is {
		return above
	}
	return field[:max(0, strings.LastIndex(field, "."))]
}

// attributes returns the path of the attribute for a field.
func attributes(field string) string {
	var out []string
	for _, step := range strings.Split(strings.ReplaceAll(field, "[]", "[0]"), ".") {
		out = append(out, attribute(step))
	}
	return strings.Join(out, ".")
}

// refusals returns the attributes that are rejected for an object with only this field.
func refusals(t *testing.T, kind schema.GroupVersionKind, field string) []string {
	t.Helper()
	var value any = map[string]any{"any": "thing"}
	steps := strings.Split(field, ".")
	for _, step := range slices.Backward(steps) {
		for strings.HasSuffix(step, "[]") {
			step, value = strings.TrimSuffix(step, "[]"), []any{value}
		}
		value = map[string]any{step: value}
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": value}}
	u.SetGroupVersionKind(kind)
	paths, err := Unsupported(u)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range paths {
		out = append(out, path.String())
	}
	return out
}
