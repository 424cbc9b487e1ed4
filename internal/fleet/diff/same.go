package diff

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Same reports whether a full comparison of two objects finds no difference, ignored or not.
func Same(a, b *unstructured.Unstructured) bool {
	return equal(Strip(a), Strip(b)) && len(ignoredDifferences(a, b, true)) == 0
}

// Hash returns the same text for two objects if [Same] returns true for them. Unlike Same, Hash ignores finalizers.
func Hash(u *unstructured.Unstructured) string { return manifest.Hash(withIgnored(Strip(u), u)) }
