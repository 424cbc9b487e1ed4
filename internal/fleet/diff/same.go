package diff

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Same reports whether a full comparison of two objects finds no difference.
func Same(a, b *unstructured.Unstructured) bool { return equal(Strip(a), Strip(b)) }

// Hash returns the same text for two objects that are identical for a full comparison.
func Hash(u *unstructured.Unstructured) string { return manifest.Hash(Strip(u)) }
