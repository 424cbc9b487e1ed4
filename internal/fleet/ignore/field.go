package ignore

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
)

// Field is a path to a field of an object.
type Field []step

// A step leads from a map to the field called name. If key is true, it leads from a list to an element instead: the first one whose field called name has the
// value.
type step struct {
	name  string
	key   bool
	value string
}

// ParseField parses a path as plans show it: spec.replicas, metadata.annotations["a.b/c"], spec.template.spec.containers[name=web].image.
func ParseField(text string) (Field, error) {
	var out Field
	for rest := text; rest != ""; {
		var s step
		var err error
		switch {
		case rest[0] == '[':
			s, rest, err = parseBracket(rest[1:])
		case len(out) > 0 && rest[0] != '.':
			err = errors.New("write a dot before a name that follows a bracket")
		default:
			if len(out) > 0 {
				rest = rest[1:]
			}
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			s.name, rest = rest[:end], rest[end:]
			if s.name == "" || strings.ContainsAny(s.name, " /]\"$*") {
				err = fmt.Errorf("%q is not a name: write a name with dots, slashes, spaces or quotes as [\"...\"]", s.name)
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, out.check()
}

// parseBracket parses "key"] or name=value] and returns the rest of the text.
func parseBracket(text string) (s step, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" || strings.ContainsAny(name, `]".,`) {
			return step{}, "", errors.New("write an element of a list as [name=value], with the field that identifies it")
		}
		s.name, s.key, text = name, true, value
	}
	value, text, err := parseValue(text)
	switch {
	case err != nil || !strings.HasPrefix(text, "]"):
		return step{}, "", errors.New("a bracket is not closed")
	case s.key:
		s.value = value
	default:
		s.name = value
	}
	return s, text[1:], nil
}

func parseValue(text string) (value, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return "", "", errors.New("a bracket is not closed")
		}
		return text[:end], text[end:], nil
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", err
	}
	value, err = strconv.Unquote(quoted)
	return value, text[len(quoted):], err
}

// protectedFields are the fields by which the provider finds an object, and the fields that contain them.
var protectedFields = []string{
	"apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace", "metadata.labels", "metadata.labels." + applyset.PartOfLabel,
}

func (f Field) check() error {
	switch {
	case len(f) == 0:
		return errors.New("the path is empty")
	case f[0].key:
		return errors.New("a path must begin with a field")
	case f[0].name == "status":
		return errors.New("the provider never writes the status")
	}
	if names, is := f.Names(); is && slices.Contains(protectedFields, strings.Join(names, ".")) {
		return errors.New("the provider finds the object by this field")
	}
	return nil
}

// Names returns the names of the fields. ok is false for a path through a list.
func (f Field) Names() (names []string, ok bool) {
	for _, s := range f {
		if s.key {
			return nil, false
		}
		names = append(names, s.name)
	}
	return names, true
}

func (f Field) get(in any) (value any, found bool) {
	if len(f) == 0 {
		return in, true
	}
	if f[0].key {
		elements, _ := in.([]any)
		if i := f[0].index(elements); i >= 0 {
			return f[1:].get(elements[i])
		}
		return nil, false
	}
	fields, _ := in.(map[string]any)
	if value, found = fields[f[0].name]; !found {
		return nil, false
	}
	return f[1:].get(value)
}

// set creates missing fields. It does not create missing elements of lists, or fields in them.
func (f Field) set(in, value any) {
	switch fields := in.(type) {
	case []any:
		if i := f[0].index(fields); i >= 0 && len(f) > 1 {
			f[1:].set(fields[i], value)
		} else if i >= 0 {
			fields[i] = value
		}
	case map[string]any:
		if len(f) == 1 {
			fields[f[0].name] = value
			return
		}
		if fields[f[0].name] == nil && !f[1].key {
			fields[f[0].name] = map[string]any{}
		}
		f[1:].set(fields[f[0].name], value)
	}
}

// remove does not remove elements of lists.
func (f Field) remove(in any) {
	parent, found := f[:len(f)-1].get(in)
	if fields, is := parent.(map[string]any); found && is {
		delete(fields, f[len(f)-1].name)
	}
}

func (s step) index(elements []any) int {
	return slices.IndexFunc(elements, func(element any) bool {
		fields, _ := element.(map[string]any)
		value, found := fields[s.name]
		return found && s.key && fmt.Sprint(value) == s.value
	})
}
