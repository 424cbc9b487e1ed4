package placement

import (
	"strconv"
	"strings"
)

// Step is one step of a Path: an attribute, an index of a list or a key of a map.
type Step struct {
	// Attribute is the Terraform name of an attribute, if the step is one.
	Attribute string
	// Key is the key of a map, if the step is one.
	Key *string
	// Index is the index of a list if neither Attribute nor Key is set.
	Index int
}

// Path identifies a part of a Spec by the names of Terraform attributes.
type Path []Step

// At returns the path of an attribute of the resource.
func At(attribute string) Path { return Path{{Attribute: attribute}} }

// Attribute returns the path of an attribute in p.
func (p Path) Attribute(name string) Path { return p.appendStep(Step{Attribute: name}) }

// Index returns the path of an element of a list.
func (p Path) Index(i int) Path { return p.appendStep(Step{Index: i}) }

// Key returns the path of an element of a map.
func (p Path) Key(key string) Path { return p.appendStep(Step{Key: &key}) }

// appendStep copies p, so that paths with a common prefix do not share memory.
func (p Path) appendStep(s Step) Path { return append(p[:len(p):len(p)], s) }

// String returns the path as users read it: policy.cluster_names[1], labels["a/b"].
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.Attribute != "":
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Attribute)
		case s.Key != nil:
			b.WriteString("[" + strconv.Quote(*s.Key) + "]")
		default:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		}
	}
	return b.String()
}
