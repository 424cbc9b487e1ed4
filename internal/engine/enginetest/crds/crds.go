// Package crds contains the CustomResourceDefinitions of KubeFleet hubs and KubeAdmiral hosts for tests. They are generated from the types of the two engines, and
// from those in the folder api. The package also validates objects against them without an API server.
package crds

import (
	"embed"
	"fmt"
	"io/fs"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var generated embed.FS

// Definitions returns KubeFleet's definitions. All their versions are served.
func Definitions() ([]*unstructured.Unstructured, error) { return Read(generated) }

// Read reads the definitions in a folder.
func Read(folder fs.FS) ([]*unstructured.Unstructured, error) {
	files, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, file := range files {
		data, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(data, &u.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, u)
	}
	return out, nil
}

// Kind returns the kind that a definition defines, without a version.
func Kind(definition *unstructured.Unstructured) schema.GroupKind {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	return schema.GroupKind{Group: group, Kind: kind}
}

// Version is a version of a kind in a definition.
type Version struct {
	Name            string
	Served, Storage bool
	// Schema is the OpenAPI v3 schema.
	Schema map[string]any
	// Subresources are keyed by name.
	Subresources map[string]any
}

// Versions returns the versions of a definition.
func Versions(definition *unstructured.Unstructured) []Version {
	list, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	var out []Version
	for _, item := range list {
		fields, _ := item.(map[string]any)
		version := Version{}
		version.Name, _, _ = unstructured.NestedString(fields, "name")
		version.Served, _, _ = unstructured.NestedBool(fields, "served")
		version.Storage, _, _ = unstructured.NestedBool(fields, "storage")
		version.Schema, _, _ = unstructured.NestedMap(fields, "schema", "openAPIV3Schema")
		version.Subresources, _, _ = unstructured.NestedMap(fields, "subresources")
		out = append(out, version)
	}
	return out
}

// Validate returns the problems that an object has with the definition of its kind: unknown and missing fields, wrong types, and values out of bounds. It does
// not evaluate CEL rules, which need an API server.
func Validate(definitions []*unstructured.Unstructured, u *unstructured.Unstructured) []string {
	gvk := u.GroupVersionKind()
	for _, definition := range definitions {
		if Kind(definition) != gvk.GroupKind() {
			continue
		}
		for _, version := range Versions(definition) {
			if version.Name == gvk.Version {
				v := validator{}
				v.value("", version.Schema, u.Object)
				return v.problems
			}
		}
	}
	return []string{fmt.Sprintf("nothing defines %s", gvk)}
}
