package manifest

import (
	"crypto/sha256"
	"encoding/hex"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is a Kubernetes object with its identity.
type Object struct {
	Identifier
	Content *unstructured.Unstructured
}

// NewObject names an object by its own content. The envelope is nil for an object that came in none.
func NewObject(u *unstructured.Unstructured, envelope *Envelope) Object {
	gvk := u.GroupVersionKind()
	return Object{
		Identifier: Identifier{
			Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind,
			Namespace: u.GetNamespace(), Name: u.GetName(),
			Envelope: envelope,
		},
		Content: u,
	}
}

// Hash is the lowercase hex SHA-256 of the content as JSON with sorted keys. Two texts that differ only in their formatting have the
// same hash.
func (o Object) Hash() string { return Hash(o.Content.Object) }

// Hash is the lowercase hex SHA-256 of a JSON value with sorted keys.
func Hash(content map[string]any) string {
	// Decoded YAML holds JSON values only, which always encode.
	text, _ := (&unstructured.Unstructured{Object: content}).MarshalJSON()
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// IsSecret tells an object whose values must not be shown to anybody.
func (id Identifier) IsSecret() bool { return id.Group == "" && id.Kind == "Secret" }
