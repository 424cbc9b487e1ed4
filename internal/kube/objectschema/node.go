package objectschema

import (
	"strings"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// node is the type of a kind's objects, of a field, or of what is in a list or map.
type node struct {
	form    diff.Form
	dropped bool
	atomic  bool
	keys    []diff.MergeKey
	// structure has the fields, and inner is what a list or map has in it.
	structure *structure
	inner     *node
	// strategies and mergeKey are those of a strategic merge patch.
	strategies []string
	mergeKey   string
}

// structure has fields, which are parsed when one of them is read: structures may contain themselves.
type structure struct {
	table  *table
	lines  string
	once   sync.Once
	fields map[string]*node
}

// Form is what the values are.
func (n *node) Form() diff.Form { return n.form }

// Dropped tells whether a zero or empty value is written like none, which is so for every field that is no pointer.
func (n *node) Dropped() bool { return n.dropped }

// Atomic tells whether a map or structure is replaced as a whole.
func (n *node) Atomic() bool { return n.atomic }

// Keys are those by which the elements of a list are merged.
func (n *node) Keys() []diff.MergeKey { return n.keys }

// Field returns the type of a field, or of a map's values. Of what may be anything, nothing is known.
func (n *node) Field(name string) diff.Type {
	if n.form == diff.FormMap {
		return n.inner
	}
	if n.form != diff.FormStructure {
		return nil
	}
	if field := n.structure.read()[name]; field != nil {
		return field
	}
	return nil
}

// Element returns the type of a list's elements.
func (n *node) Element() diff.Type {
	if n.form != diff.FormList {
		return nil
	}
	return n.inner
}

func (s *structure) read() map[string]*node {
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
