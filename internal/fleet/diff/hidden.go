package diff

import (
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

// Hidden are fields and values that the user has marked as sensitive. What is shown of an object has none of them, whatever its kind. The zero value hides
// nothing.
type Hidden struct {
	// paths hide also the values that the fields had before.
	paths   []string
	texts   map[string]bool
	numbers map[string]bool
}

// shortest is the length in bytes from which on a hidden text is found within other texts. A shorter one would be found in unrelated words.
const shortest = 4

// NewHidden hides the fields, and all texts and numbers in their values wherever they are. Booleans, null and empty texts are no secrets.
func NewHidden(fields ...HiddenField) Hidden {
	out := Hidden{texts: map[string]bool{}, numbers: map[string]bool{}}
	for _, field := range fields {
		out.paths = append(out.paths, field.Path)
		out.add(field.Value)
	}
	return out
}

func (h Hidden) add(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, element := range value {
			h.add(element)
		}
	case []any:
		for _, element := range value {
			h.add(element)
		}
	case string:
		if value != "" {
			quoted := strconv.Quote(value) // as messages have it
			h.texts[value], h.texts[quoted[1:len(quoted)-1]] = true, true
			if encoded, err := json.Marshal(value); err == nil { // which also escapes <, > and &
				h.texts[string(encoded[1:len(encoded)-1])] = true
			}
		}
	case int64, float64:
		h.numbers[fmt.Sprint(value)] = true
	}
}

// IsEmpty reports whether nothing is hidden.
func (h Hidden) IsEmpty() bool { return len(h.paths) == 0 }

// isAt reports whether a path is that of a hidden field, is in one, or has one in it.
func (h Hidden) isAt(path string) bool {
	return slices.ContainsFunc(h.paths, func(hidden string) bool {
		return strings.HasPrefix(path+"/", hidden+"/") || strings.HasPrefix(hidden+"/", path+"/")
	})
}

// has reports whether a value is hidden, or has a hidden one in it.
func (h Hidden) has(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, element := range value {
			if h.has(element) {
				return true
			}
		}
	case []any:
		for _, element := range value {
			if h.has(element) {
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

// Text returns a text with every hidden text in it redacted. Hidden texts that overlap or touch are redacted as one.
func (h Hidden) Text(text string) string {
	isHidden := make([]bool, len(text))
	for hidden := range h.texts {
		for from := 0; len(hidden) >= shortest; {
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

// Redact returns a copy of a decoded value in which the hidden texts and numbers are redacted.
func (h Hidden) Redact(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, element := range value {
			out[key] = h.Redact(element)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = h.Redact(element)
		}
		return out
	case string:
		if h.texts[value] || h.numbers[value] {
			return Redacted
		}
		return h.Text(value)
	default:
		if h.has(value) {
			return Redacted
		}
		return value
	}
}

// Differences returns the differences without hidden values. Where one side of a difference is hidden, the other one is as well: it may be an older secret.
func (h Hidden) Differences(in []Difference) []Difference {
	if h.IsEmpty() {
		return in
	}
	out := append([]Difference(nil), in...)
	for i, d := range out {
		if h.isAt(d.Path) || h.has(d.InHub) || h.has(d.InMember) {
			if d.HasHub {
				out[i].InHub = Redacted
			}
			if d.HasMember {
				out[i].InMember = Redacted
			}
		}
	}
	return out
}

// Patches does so for differences in KubeFleet's form.
func (h Hidden) Patches(in []placement.PatchDetail) []placement.PatchDetail {
	if h.IsEmpty() {
		return in
	}
	out := append([]placement.PatchDetail(nil), in...)
	for i, p := range out {
		if h.isAt(p.Path) || h.has(p.ValueInHub) || h.has(p.ValueInMember) {
			out[i].ValueInHub, out[i].ValueInMember = redactedUnlessEmpty(p.ValueInHub), redactedUnlessEmpty(p.ValueInMember)
		}
	}
	return out
}

func redactedUnlessEmpty(text string) string {
	if text == "" {
		return ""
	}
	return Redacted
}
