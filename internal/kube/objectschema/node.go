package objectschema

import (
	"strings"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// node is the type of an object, of a field, or of the elements of a list or map.
type node struct {
	form    diff.Form
	dropped bool
	atomic  bool
	keys    []diff.MergeKey
	// structure has the fields of a structure. inner is the type of the elements of a list or map.
	structure  *structure
	inner      *node
	strategies []string
	mergeKey   string
}

// structure is the type of a structure. It parses its fields at the first use, because structures may contain themselves.
type structure struct {
	table  *table
	lines  string
	once   sync.Once
	fields map[string]*node
}

func (n *node) Form() diff.Form { return n.form }

// Dropped reports whether the API server stores a zero or empty value like an absent one. This is the case for every field that is not a
// pointer in Go, except bytes without omitempty.
func (n *node) Dropped() bool { return n.dropped }

// Atomic reports whether a map or structure is replaced as a whole.
func (n *node) Atomic() bool { return n.atomic }

func (n *node) Keys() []diff.MergeKey { return n.keys }

// Field returns the type of a field, or of a map's values. It returns nil for an unknown field, and for a node that is neither a structure
// nor a map.
func (n *node) Field(name string) diff.Type {
	if n.form == diff.FormMap {
		return n.inner
	}
	if n.form != diff.FormStructure {
		return nil
	}
	if field := n.structure.readFields()[name]; field != nil {
		return field
	}
	return nil
}

func (n *node) Element() diff.Type {
	if n.form != diff.FormList {
		return nil
	}
	return n.inner
}

func (s *structure) readFields() map[string]*node {
	s.once.Do(func() {
		s.fields = map[string]*node{}
		if s.lines == "" {
			return
		}
		for line := range strings.SplitSeq(s.lines, "\n") {
			name, expression, _ := strings.Cut(line, " ")
			s.fields[name] = s.table.parseField(expression)
		}
	})
	return s.fields
}
