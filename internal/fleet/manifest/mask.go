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

// unreadable stands for a text that cannot be read, and of which it is not known what it holds.
const unreadable = "(not readable)"

// Mask returns the texts with the values of all Secrets in them replaced by marks, so that they can be shown. Documents without a Secret stay
// as they are written.
//
// A mark counts how often a value has changed, and says nothing else of it: not even a salted hash, which a short password does not resist.
// before are the texts of the last time, masked is what Mask made of them; both are empty the first time.
func Mask(texts, before, masked map[string]string) map[string]string {
	values := map[secretValue]any{}
	collect := secretWalk(func(at secretValue, value any) any {
		values[at] = value
		return value
	})
	counts := map[secretValue]int{}
	count := secretWalk(func(at secretValue, value any) any {
		counts[at] = changesOf(value)
		return value
	})
	for key := range before {
		_, _ = maskText(before[key], collect.object)
		_, _ = maskText(masked[key], count.object)
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
		if out[key], err = maskText(text, mask.object); err != nil {
			out[key] = unreadable
		}
	}
	return out
}

// markFormat is a mark, with the number of the value, from 1.
const markFormat = "(sensitive value %d)"

// changesOf reads a mark; 0 of anything else.
func changesOf(mark any) int {
	n := 0
	text, _ := mark.(string)
	if _, err := fmt.Sscanf(text, markFormat, &n); err != nil {
		return 0
	}
	return n
}

// secretValue is the place of a value of a Secret: a key in data or stringData, or the annotation that repeats them.
type secretValue struct {
	namespace, name, section, key string
}

// secretWalk visits the values of all Secrets in a text and replaces each with its result.
type secretWalk func(at secretValue, value any) any

// maskText has each document of a text walked through. A text without a Secret is returned unchanged.
func maskText(text string, walk func(document any) (found bool)) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isUnwritten) {
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

// isUnwritten reports whether a character is one that YAML writes as an escape only. A terminal must not get it.
func isUnwritten(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) }

// mayHoldSecret reports whether a kind in the text can decode to Secret: then the text contains the word, an escape or a tag. Most texts do not,
// and are not parsed.
func mayHoldSecret(text string) bool {
	lower := strings.ToLower(text)
	return strings.ContainsAny(text, `\!`) || strings.Contains(lower, "secret") || strings.Contains(lower, "stringdata")
}

// object walks through a document or an item of a List. An object there whose kind is unreadable, or which has stringData as only Secrets have,
// can be a Secret that is written wrongly: it counts as one.
func (w secretWalk) object(value any) (found bool) {
	fields, isMap := value.(map[string]any)
	if !isMap {
		return w.value(value)
	}
	kind, _ := fields["kind"].(string)
	items, isList := fields["items"].([]any)
	switch {
	case kind == "" || fields["stringData"] != nil:
		w.secret(fields)
		return true
	case isList && (kind == "List" || kind == "SecretList"):
		for _, item := range items {
			found = w.object(item) || found
		}
		return found
	default:
		return w.value(fields)
	}
}

// value walks through a decoded value, which it changes, and reports whether a Secret is in it: itself, in a List, in an envelope, as a text
// in a ConfigMap or as the annotation that repeats an object. Only the kind decides: a cluster may still accept a Secret whose API version is
// mistyped, and a text is shown before a cluster checks it.
func (w secretWalk) value(value any) (found bool) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			found = w.value(element) || found
		}
	case map[string]any:
		switch kind, _ := value["kind"].(string); strings.ToLower(strings.TrimSpace(kind)) {
		case "secret":
			w.secret(value)
			return true
		case "configmap":
			data, _ := value["data"].(map[string]any)
			for key := range data {
				found = w.nested(data, key) || found
			}
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if key == lastApplied {
				found = w.nested(value, key) || found
			}
			found = w.value(value[key]) || found
		}
	}
	return found
}

// secretWord matches the kind of a Secret in a text, also in one that cannot be parsed.
var secretWord = regexp.MustCompile(`(?i)\bkind\W+secret\b`)

// nested walks through a text within an object. Most such texts are no manifests and do not parse: they stay unchanged.
func (w secretWalk) nested(fields map[string]any, key string) (found bool) {
	text, _ := fields[key].(string)
	walked, err := maskText(text, w.value)
	if err != nil && secretWord.MatchString(text) {
		walked = unreadable
	} else if err != nil {
		return false
	}
	fields[key] = walked
	return walked != text
}

// plainFields are the fields of a Secret without secret values. Every other field is masked, also one that is misspelt.
var plainFields = []string{"apiVersion", "kind", "metadata", "type", "immutable"}

// lastApplied is the annotation that repeats the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func (w secretWalk) secret(fields map[string]any) {
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
