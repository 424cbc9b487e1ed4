package diff

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Same tells whether two objects do not differ in anything that is compared: a full comparison would find nothing.
func Same(a, b *unstructured.Unstructured) bool { return equal(Strip(a), Strip(b)) }

// Hash is the same for two objects of which a full comparison would find them written alike.
func Hash(u *unstructured.Unstructured) string { return manifest.Hash(Strip(u)) }
