package convert

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// versions are the versions of the API that this package supports, the preferred one first. v1beta1 has all fields, and is the version that hubs store and
// for which their webhooks are written.
var versions = []string{"v1beta1", "v1"}

// Versions returns the supported versions of the API, the preferred one first.
func Versions() []string { return slices.Clone(versions) }

// Choose returns a kind in the preferred version among the served ones. served are the versions in which a hub serves the kind. It returns false if this
// package supports none of them.
func Choose(kind schema.GroupKind, served []string) (schema.GroupVersionKind, bool) {
	for _, version := range versions {
		if slices.Contains(served, version) {
			return kind.WithVersion(version), true
		}
	}
	return schema.GroupVersionKind{}, false
}
