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
	buffer := hashed.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
	defer hashed.Put(buffer)
	*buffer = appendJSON((*buffer)[:0], content)
	sum := sha256.Sum256(*buffer)
	return hex.EncodeToString(sum[:])
}

// hashed holds buffers: a plan hashes every object of every cluster.
var hashed = sync.Pool{New: func() any { return new([]byte) }}

// IsSecret tells an object whose values must not be shown to anybody.
func (id Identifier) IsSecret() bool { return id.Group == "" && id.Kind == "Secret" }
