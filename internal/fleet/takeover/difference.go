package takeover

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Difference is a field that is not the same in what is to be placed and on the member.
type Difference struct {
	// Field is the path for people, with elements of lists told by their merge key where they have one:
	// spec.template.spec.containers[name=app].image.
	Field string
	// Path is a JSON pointer (RFC 6901) into the object. Indexes are those of the member's list; elements that are missing there come
	// behind its end, and ones that only the member has are told as "-", one Difference each.
	Path string
	// InHub and InMember are JSON values; Redacted where they are not to be shown.
	InHub, InMember   any
	HasHub, HasMember bool
	// Manager is who wrote the member's value, as far as the object's managedFields say.
	Manager Manager
}

// Manager is a field manager.
type Manager struct {
	Name string
	// Operation is Apply or Update.
	Operation string
	// Subresource is the one that was written through, such as scale or status; empty for the object itself.
	Subresource string
}

// maxRendered is how many characters of a value are shown.
const maxRendered = 200

// Render shows a value as compact JSON, cut after some 200 characters.
func Render(value any) string {
	if value == Redacted {
		return Redacted
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// Only values that are not JSON come here.
		return fmt.Sprintf("(%T)", value)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	count := utf8.RuneCountInString(text)
	if count <= maxRendered {
		return text
	}
	return fmt.Sprintf("%s… (%d characters)", string([]rune(text)[:maxRendered]), count)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer writes a JSON pointer.
func pointer(path []string) string {
	var b strings.Builder
	for _, segment := range path {
		b.WriteByte('/')
		b.WriteString(pointerEscapes.Replace(segment))
	}
	return b.String()
}

// canonical returns a JSON value with all numbers in one form, so that 1 and 1.0 are equal, as they are for KubeFleet, and large whole
// numbers keep their digits, which they do not there.
func canonical(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, element := range value {
			out[key] = canonical(element)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = canonical(element)
		}
		return out
	case int64:
		return json.Number(strconv.FormatInt(value, 10))
	case int:
		return json.Number(strconv.Itoa(value))
	case float64:
		if value == math.Trunc(value) && math.Abs(value) < 1<<63 {
			return json.Number(strconv.FormatInt(int64(value), 10))
		}
		return json.Number(strconv.FormatFloat(value, 'g', -1, 64))
	case nil, bool, string, json.Number:
		return value
	default:
		// Unstructured objects hold nothing else; what does not belong there compares by its type, and does no harm.
		return fmt.Sprintf("(%T)", value)
	}
}

// plain undoes canonical.
func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, element := range value {
			out[key] = plain(element)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = plain(element)
		}
		return out
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		number, _ := value.Float64() // it was one
		return number
	default:
		return value
	}
}
