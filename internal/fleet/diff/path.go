package diff

import (
	"slices"
	"strconv"
	"strings"
)

// step is one step of a path: to a field of a map, or to an element of a list.
type step struct {
	// field is empty for an element.
	field string
	// index is the index of the element in the member's list, or the index it would have there.
	index int
	// keys and element identify the element by its merge key; keys is nil if it has none.
	keys    []MergeKey
	element any
	inList  bool
	// appended reports whether only the member has the element, in a list without a merge key.
	appended bool
}

func formatPointer(path []step) string {
	pointer := make([]byte, 0, 128)
	for _, s := range path {
		pointer = append(pointer, '/')
		switch {
		case !s.inList:
			pointer = append(pointer, pointerEscapes.Replace(s.field)...)
		case s.appended:
			pointer = append(pointer, '-')
		default:
			pointer = strconv.AppendInt(pointer, int64(s.index), 10)
		}
	}
	return string(pointer)
}

func formatField(path []step) string {
	var b strings.Builder
	for i, s := range path {
		switch {
		case s.inList && s.keys != nil:
			b.WriteString("[" + elementLabel(s.element, s.keys) + "]")
		case s.inList:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !isWord(s.field):
			b.WriteString("[" + strconv.Quote(s.field) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.field)
		}
	}
	return b.String()
}

func isWord(key string) bool {
	const characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return key != "" && strings.Trim(key, characters) == ""
}

// elementLabel identifies an element by its key: name=app, or containerPort=53,protocol=UDP. Parts after the first are omitted if they have their default. The
// label of a set's element is its value.
func elementLabel(element any, keys []MergeKey) string {
	if isSet(keys) {
		text, _ := keyText(element)
		return quoteLabel(text)
	}
	fields, _ := element.(map[string]any)
	var parts []string
	for i, key := range keys {
		text, there := keyText(fields[key.Field])
		if i > 0 && (!there || text == key.Absent) {
			continue
		}
		parts = append(parts, key.Field+"="+quoteLabel(text))
	}
	return strings.Join(parts, ",")
}

func quoteLabel(text string) string {
	if text == "" || strings.ContainsAny(text, `[]",=`) {
		return strconv.Quote(text)
	}
	return text
}

// lastNames returns the innermost field of a path and the enclosing field, and skips elements of lists. A name that does not exist is "".
func lastNames(path []step) (last, outer string) {
	found := 0
	for _, s := range slices.Backward(path) {
		if s.inList {
			continue
		}
		if found++; found == 2 {
			return last, s.field
		}
		last = s.field
	}
	return last, ""
}
