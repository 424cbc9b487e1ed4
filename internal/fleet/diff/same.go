package diff

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Same tells whether two objects do not differ in anything that is compared: a full comparison would find nothing.
func Same(a, b *unstructured.Unstructured) bool { return equal(Strip(a), Strip(b)) }
