package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is a Kubernetes object with its identity.
type Object struct {
	Identifier
	Content *unstructured.Unstructured
}

// NewObject returns an object with the identity in its content. The envelope is nil for an object without one.
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

// Hash returns the lowercase hex SHA-256 of the content as JSON with sorted keys. Two texts that differ only in their formatting have the same hash.
func (o Object) Hash() string { return Hash(o.Content.Object) }

// Hash returns the lowercase hex SHA-256 of a JSON value with sorted keys.
func Hash(content map[string]any) string {
	buffer := buffers.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
	defer buffers.Put(buffer)
	*buffer = appendJSON((*buffer)[:0], content)
	sum := sha256.Sum256(*buffer)
	return hex.EncodeToString(sum[:])
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// IsSecret reports whether the values of an object must not be shown.
func (id Identifier) IsSecret() bool { return id.Group == "" && id.Kind == "Secret" }

// IsNamespace reports whether an object is a Namespace.
func (id Identifier) IsNamespace() bool { return id.Group == "" && id.Kind == "Namespace" }
