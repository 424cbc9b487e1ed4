package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// HiddenField is a field of an object, as a JSON pointer, with its value.
type HiddenField struct {
	Path  string
	Value any
}

// Hidden is a set of fields and values that the user has marked as sensitive. They are redacted in all output about an object of any kind. The
// zero value hides nothing.
type Hidden struct {
	// paths are the hidden fields. A difference in one of them is redacted even if its value is in neither texts nor numbers, such as an earlier
	// value.
	paths   []string
	texts   map[string]bool
	numbers map[string]bool
}

// minSearchLength is the minimum length in bytes of a hidden text that is redacted inside longer texts. A shorter text would match in unrelated words.
const minSearchLength = 4

// NewHidden hides the fields, and all texts and numbers in their values. A value anywhere that equals one of these is redacted, and a longer text that contains
// a hidden text is redacted in part; see [Hidden.Text]. Booleans, null and empty texts are redacted only in the fields. NewHidden also hides the keys of maps
// in the values, except keys that look like fields of the Kubernetes API. The empty path means a whole object: the keys of its maps are not hidden.
func NewHidden(fields ...HiddenField) Hidden {
	out := Hidden{texts: map[string]bool{}, numbers: map[string]bool{}}
	for _, field := range fields {
		out.paths = append(out.paths, field.Path)
		out.add(field.Value, field.Path != "")
	}
	return out
}

func (h Hidden) add(value any, withKeys bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, element := range value {
			if withKeys && !isFieldName(key) {
				h.addText(key)
			}
			h.add(element, withKeys)
		}
	case []any:
		for _, element := range value {
			h.add(element, withKeys)
		}
	case string:
		h.addText(value)
	case int64, float64:
		h.numbers[fmt.Sprint(value)] = true
	}
}

func (h Hidden) addText(text string) {
	if text == "" {
		return
	}
	quoted := strconv.Quote(text) // the form in messages
	h.texts[text], h.texts[quoted[1:len(quoted)-1]] = true, true
	if encoded, err := json.Marshal(text); err == nil { // also escapes <, > and &
		h.texts[string(encoded[1:len(encoded)-1])] = true
	}
}

// isFieldName reports whether a key has only letters, like the names of fields in the Kubernetes API. These names are frequent in messages, and must not be
// redacted there.
func isFieldName(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// IsEmpty reports whether nothing is hidden.
func (h Hidden) IsEmpty() bool { return len(h.paths) == 0 }

// overlaps reports whether a path is that of a hidden field, or is inside or around one.
func (h Hidden) overlaps(path string) bool {
	return slices.ContainsFunc(h.paths, func(hidden string) bool {
		return strings.HasPrefix(path+"/", hidden+"/") || strings.HasPrefix(hidden+"/", path+"/")
	})
}

// enclosingField returns the hidden field that contains the field at a path. found is false if there is none, and for the path of a hidden field itself.
func (h Hidden) enclosingField(path string) (hidden string, found bool) {
	i := slices.IndexFunc(h.paths, func(hidden string) bool { return hidden != "" && strings.HasPrefix(path, hidden+"/") })
	if i < 0 {
		return "", false
	}
	return h.paths[i], true
}

func (h Hidden) hasHidden(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, element := range value {
			if h.hasHidden(element) {
				return true
			}
		}
	case []any:
		for _, element := range value {
			if h.hasHidden(element) {
				return true
			}
		}
	case string:
		return h.texts[value] || h.numbers[value] || h.Text(value) != value
	case int64, float64:
		return h.numbers[fmt.Sprint(value)]
	}
	return false
}

// Text returns a text in which every hidden text of at least minSearchLength bytes is redacted. Hidden texts that overlap or touch are redacted as one.
func (h Hidden) Text(text string) string {
	isHidden := make([]bool, len(text))
	for hidden := range h.texts {
		for from := 0; len(hidden) >= minSearchLength; {
			at := strings.Index(text[from:], hidden)
			if at < 0 {
				break
			}
			for k := range len(hidden) {
				isHidden[from+at+k] = true
			}
			from += at + 1
		}
	}
	var out strings.Builder
	for i := range len(text) {
		switch {
		case !isHidden[i]:
			out.WriteByte(text[i])
		case i == 0 || !isHidden[i-1]:
			out.WriteString(Redacted)
		}
	}
	return out.String()
}

// Redact returns a copy of an object without hidden texts and numbers. A hidden field is redacted as a whole, with its keys, whatever its value is.
func (h Hidden) Redact(object any) any { return h.redact("", object) }

func (h Hidden) redact(path string, value any) any {
	if path != "" && slices.Contains(h.paths, path) {
		return Redacted
	}
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, element := range value {
			out[h.Text(key)] = h.redact(path+"/"+pointerEscapes.Replace(key), element)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = h.redact(path+"/"+strconv.Itoa(i), element)
		}
		return out
	case string:
		if h.texts[value] || h.numbers[value] {
			return Redacted
		}
		return h.Text(value)
	default:
		if h.hasHidden(value) {
			return Redacted
		}
		return value
	}
}

// Differences returns the differences without hidden values. If one side of a difference is hidden, the other side is redacted as well, because it
// may be an older secret. All differences inside a hidden field become one difference of that field, because their paths contain keys of its value.
func (h Hidden) Differences(in []Difference) []Difference {
	if h.IsEmpty() {
		return in
	}
	var out []Difference
	at := map[string]int{}
	for _, d := range in {
		if h.overlaps(d.Path) || h.hasHidden(d.InHub) || h.hasHidden(d.InMember) {
			if d.HasHub {
				d.InHub = Redacted
			}
			if d.HasMember {
				d.InMember = Redacted
			}
		}
		if hidden, within := h.enclosingField(d.Path); within {
			d.Path, d.Field = hidden, formatField(parsePointer(hidden))
			if i, known := at[hidden]; known {
				out[i] = out[i].merge(d)
				continue
			}
			at[hidden] = len(out)
		}
		d.Field, d.Path = h.Text(d.Field), h.Text(d.Path)
		out = append(out, d)
	}
	return out
}

func (d Difference) merge(other Difference) Difference {
	if other.HasHub {
		d.InHub, d.HasHub = other.InHub, true
	}
	if other.HasMember {
		d.InMember, d.HasMember = other.InMember, true
	}
	d.Immutable = d.Immutable || other.Immutable
	return d
}

func parsePointer(pointer string) []step {
	var out []step
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		index, err := strconv.Atoi(part)
		out = append(out, step{field: pointerUnescapes.Replace(part), index: index, inList: err == nil})
	}
	return out
}

// Patches does the same as Differences for differences in KubeFleet's form.
func (h Hidden) Patches(in []placement.PatchDetail) []placement.PatchDetail {
	if h.IsEmpty() {
		return in
	}
	var out []placement.PatchDetail
	at := map[string]int{}
	for _, p := range in {
		if h.overlaps(p.Path) || h.hasHidden(p.ValueInHub) || h.hasHidden(p.ValueInMember) {
			p.ValueInHub, p.ValueInMember = redactNonEmpty(p.ValueInHub), redactNonEmpty(p.ValueInMember)
		}
		if hidden, within := h.enclosingField(p.Path); within {
			p.Path = hidden
			if i, known := at[hidden]; known {
				out[i].ValueInHub, out[i].ValueInMember = cmp.Or(out[i].ValueInHub, p.ValueInHub), cmp.Or(out[i].ValueInMember, p.ValueInMember)
				continue
			}
			at[hidden] = len(out)
		}
		p.Path = h.Text(p.Path)
		out = append(out, p)
	}
	return out
}

func redactNonEmpty(text string) string {
	if text == "" {
		return ""
	}
	return Redacted
}
