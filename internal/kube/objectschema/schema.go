package objectschema

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// Schema knows the built-in kinds. It keeps what it has read and may be used by many at once, so one is enough for a process.
type Schema struct {
	mu    sync.RWMutex
	kinds map[schema.GroupVersionKind]*node
	// structures are those of all kinds, by their Go type: pods are in many.
	structures map[reflect.Type]*structure
	merging    func() mergeSchema
}

var _ diff.Schema = (*Schema)(nil)

// New returns a schema that has read nothing yet.
func New() *Schema {
	return &Schema{
		kinds: map[schema.GroupVersionKind]*node{}, structures: map[reflect.Type]*structure{}, merging: sync.OnceValue(readMergeSchema),
	}
}

// Kind returns the type of a kind's objects, nil if it is not built in.
func (s *Schema) Kind(kind schema.GroupVersionKind) diff.Type {
	s.mu.RLock()
	known, found := s.kinds[kind]
	s.mu.RUnlock()
	if !found {
		known = s.addKind(kind)
	}
	if known == nil {
		return nil
	}
	return known
}

func (s *Schema) addKind(kind schema.GroupVersionKind) *node {
	goType, found := scheme.Scheme.AllKnownTypes()[kind]
	if !found {
		goType, found = definitions[kind]
	}
	if !found {
		return nil // nobody keeps these: there are as many as somebody can think of
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.kinds[kind]; known != nil {
		return known
	}
	known := s.newNode(goType)
	known.merge = func() mergeRule { return s.merging().rule(known.structure.model()) }
	s.kinds[kind] = known
	return known
}
