package manifest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const unreadable = "(not readable)"

// Mask returns the texts for display, with marks in place of the values of all Secrets. Documents without a Secret remain as written. A text that
// Mask cannot check becomes "(not readable)".
//
// A mark contains only the version of a value, which starts at 1 and increases with each change. It contains no hash, because even a salted hash does
// not protect a short password. before are the previous texts, and masked the result of Mask for them; both are empty the first time.
func Mask(texts, before, masked map[string]string) map[string]string {
	values := map[secretValue]any{}
	collect := secretWalk(func(at secretValue, value any) any {
		values[at] = value
		return value
	})
	counts := map[secretValue]int{}
	count := secretWalk(func(at secretValue, value any) any {
		counts[at] = parseMark(value)
		return value
	})
	for key := range before {
		_, _ = maskText(before[key], collect.walkObject)
		_, _ = maskText(masked[key], count.walkObject)
	}
	mask := secretWalk(func(at secretValue, value any) any {
		n := max(counts[at], 1)
		if old, known := values[at]; known && !reflect.DeepEqual(old, value) {
			n++
		}
		return fmt.Sprintf(markFormat, n)
	})
	out := make(map[string]string, len(texts))
	for key, text := range texts {
		var err error
		if out[key], err = maskText(text, mask.walkObject); err != nil {
			out[key] = unreadable
		}
	}
	return out
}

const markFormat = "(sensitive value %d)"

func parseMark(mark any) int {
	n := 0
	text, _ := mark.(string)
	if _, err := fmt.Sscanf(text, markFormat, &n); err != nil {
		return 0
	}
	return n
}

// secretValue identifies a value of a Secret: a key in data, stringData or a misspelt field, or the annotation
// [lastApplied], which contains these values.
type secretValue struct {
	namespace, name, section, key string
}

// secretWalk is called for each value of the Secrets in a text, and returns the value that replaces it.
type secretWalk func(at secretValue, value any) any

// maskText calls walk for each document of a text, and returns the text with the documents that walk has changed. It returns a text without a Secret unchanged.
func maskText(text string, walk func(document any) (found bool)) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isEscapeOnly) {
		return "", errors.New("this is not YAML")
	}
	if !mayHoldSecret(text) {
		return text, nil
	}
	documents, err := decodeDocuments("", text)
	if err != nil {
		return "", err
	}
	var out []string
	found := false
	for _, d := range documents {
		written := d.text
		if walk(d.value) {
			found = true
			plain, err := yaml.Marshal(d.value)
			if err != nil {
				return "", err
			}
			written = string(plain)
		}
		out = append(out, strings.TrimSuffix(written, "\n")+"\n")
	}
	if !found {
		return text, nil
	}
	return strings.Join(out, "---\n"), nil
}

// isEscapeOnly reports whether YAML writes a character only as an escape. These characters must not be sent to a terminal.
func isEscapeOnly(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) }

// mayHoldSecret reports whether a text can contain a Secret: it has the word Secret, a field stringData, or an escape or a tag that can hide the word.
// Most texts have none of them and need no parsing.
func mayHoldSecret(text string) bool {
	lower := strings.ToLower(text)
	return strings.ContainsAny(text, `\!`) || strings.Contains(lower, "secret") || strings.Contains(lower, "stringdata")
}

// walkObject walks a document or an item of a List, and reports whether it is or contains a Secret. An object counts as a Secret if it has no readable kind, or
// if it has stringData, which only Secrets have: it may be a mistyped Secret.
func (w secretWalk) walkObject(value any) (found bool) {
	fields, isMap := value.(map[string]any)
	if !isMap {
		return w.walkValue(value)
	}
	kind, _ := fields["kind"].(string)
	items, isList := fields["items"].([]any)
	switch {
	case kind == "" || fields["stringData"] != nil:
		w.walkSecret(fields)
		return true
	case isList && (kind == "List" || kind == "SecretList"):
		for _, item := range items {
			found = w.walkObject(item) || found
		}
		return found
	default:
		return w.walkValue(fields)
	}
}

// walkValue walks and changes a decoded value, and reports whether the value is or contains a Secret: an item of a List or envelope, a text in a
// ConfigMap, or the annotation that contains an object. Only the kind matters: a cluster may accept a Secret with a mistyped API version, and a
// text is displayed before a cluster checks it.
func (w secretWalk) walkValue(value any) (found bool) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			found = w.walkValue(element) || found
		}
	case map[string]any:
		switch kind, _ := value["kind"].(string); strings.ToLower(strings.TrimSpace(kind)) {
		case "secret":
			w.walkSecret(value)
			return true
		case "configmap":
			data, _ := value["data"].(map[string]any)
			for key := range data {
				found = w.walkNested(data, key) || found
			}
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if key == lastApplied {
				found = w.walkNested(value, key) || found
			}
			found = w.walkValue(value[key]) || found
		}
	}
	return found
}

// secretWord matches the kind of a Secret even in a text that cannot be parsed.
var secretWord = regexp.MustCompile(`(?i)\bkind\W+secret\b`)

// walkNested walks a text in an object, and reports whether it has changed the text. Most of these texts are not manifests and cannot be parsed. A text
// that cannot be parsed becomes "(not readable)" if it contains the kind of a Secret, and otherwise remains unchanged.
func (w secretWalk) walkNested(fields map[string]any, key string) (found bool) {
	text, _ := fields[key].(string)
	walked, err := maskText(text, w.walkValue)
	if err != nil && secretWord.MatchString(text) {
		walked = unreadable
	} else if err != nil {
		return false
	}
	fields[key] = walked
	return walked != text
}

// plainFields are the fields of a Secret without secret values. All other fields are masked, including misspelt ones.
var plainFields = []string{"apiVersion", "kind", "metadata", "type", "immutable"}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func (w secretWalk) walkSecret(fields map[string]any) {
	at := secretValue{}
	at.namespace, _, _ = unstructured.NestedString(fields, "metadata", "namespace")
	at.name, _, _ = unstructured.NestedString(fields, "metadata", "name")
	for section, value := range fields {
		if slices.Contains(plainFields, section) || value == nil {
			continue
		}
		at.section, at.key = section, ""
		values, isMap := value.(map[string]any)
		if !isMap {
			fields[section] = w(at, value)
		}
		for key, value := range values {
			at.key = key
			values[key] = w(at, value)
		}
	}
	annotations, _, _ := unstructured.NestedFieldNoCopy(fields, "metadata", "annotations")
	if values, isMap := annotations.(map[string]any); isMap && values[lastApplied] != nil {
		at.section, at.key = "annotations", lastApplied
		values[lastApplied] = w(at, values[lastApplied])
	}
}
