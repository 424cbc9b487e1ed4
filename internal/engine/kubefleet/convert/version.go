package convert

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// versions are those of the API that this package can write and read, the preferred one first: v1beta1 has all fields, is what hubs store,
// and is what their webhooks are made for.
var versions = []string{"v1beta1", "v1"}

// Versions are those that can be spoken, the preferred one first.
func Versions() []string { return slices.Clone(versions) }

// Choose picks the version to speak of a kind among those that a hub serves; false if there is none.
func Choose(kind schema.GroupKind, served []string) (schema.GroupVersionKind, bool) {
	for _, version := range versions {
		if slices.Contains(served, version) {
			return kind.WithVersion(version), true
		}
	}
	return schema.GroupVersionKind{}, false
}
