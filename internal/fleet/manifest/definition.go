package manifest

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// IsDefinition reports whether an object is a CustomResourceDefinition.
func IsDefinition(id Identifier) bool {
	return id.Group == "apiextensions.k8s.io" && id.Kind == "CustomResourceDefinition"
}

// DefinedKind returns the kind that a CustomResourceDefinition defines.
func DefinedKind(definition *unstructured.Unstructured) schema.GroupKind {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	return schema.GroupKind{Group: group, Kind: kind}
}

// DefinedKinds returns the kind that a CustomResourceDefinition defines, in each of its versions.
func DefinedKinds(definition *unstructured.Unstructured) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	kind := DefinedKind(definition)
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, version := range versions {
		fields, _ := version.(map[string]any)
		if name, ok := fields["name"].(string); ok {
			out = append(out, kind.WithVersion(name))
		}
	}
	return out
}

// KindsDefinedBy returns the kinds that manifests define, in the order of their keys. A text that cannot be parsed defines none.
func KindsDefinedBy(manifests map[string]string) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for _, key := range slices.Sorted(maps.Keys(manifests)) {
		objects, err := Parse(key, manifests[key])
		if err != nil {
			continue
		}
		for _, o := range objects {
			if IsDefinition(o.Identifier) {
				out = append(out, DefinedKinds(o.Content)...)
			}
		}
	}
	return out
}
