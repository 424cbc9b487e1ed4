package diff

import (
	"slices"
	"strconv"
	"strings"
)

// step is one step of a path: into a field of a map, or into an element of a list.
type step struct {
	// field is empty for an element.
	field string
	// index is the element's: on the member, or where the member would have it.
	index int
	// appended says that only the member has the element, in a list without a merge key.
	appended bool
	// keys and element tell the element by its merge key; keys are nil if it has none.
	keys    []MergeKey
	element any
	inList  bool
}

// pointer writes a path as a JSON pointer.
func pointer(path []step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteByte('/')
		switch {
		case !s.inList:
			b.WriteString(pointerEscapes.Replace(s.field))
		case s.appended:
			b.WriteByte('-')
		default:
			b.WriteString(strconv.Itoa(s.index))
		}
	}
	return b.String()
}

// fieldText writes a path for people.
func fieldText(path []step) string {
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

// isWord tells the keys that can stand in a path as they are.
func isWord(key string) bool {
	const characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return key != "" && strings.Trim(key, characters) == ""
}

// elementLabel names an element by its key: name=app, or containerPort=53,protocol=UDP. A part that has its default is left out. Elements
// of a set are named by their value.
func elementLabel(element any, keys []MergeKey) string {
	if isSet(keys) {
		text, _ := keyText(element)
		return quotedLabel(text)
	}
	fields, _ := element.(map[string]any)
	var parts []string
	for i, key := range keys {
		text, there := keyText(fields[key.Field])
		if i > 0 && (!there || text == key.Absent) {
			continue
		}
		parts = append(parts, key.Field+"="+quotedLabel(text))
	}
	return strings.Join(parts, ",")
}

// quotedLabel quotes a value that would be misread in a label.
func quotedLabel(text string) string {
	if text == "" || strings.ContainsAny(text, `[]",=`) {
		return strconv.Quote(text)
	}
	return text
}

// lastNames returns the innermost field of a path and the one around it, without regard to elements of lists; "" for what is not there.
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
