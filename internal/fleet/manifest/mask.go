package manifest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

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
		_, _ = collect.text(before[key])
		_, _ = count.text(masked[key])
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
		if out[key], err = mask.text(text); err != nil {
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

// secretValue is where the value of a Secret stands: in data, stringData or the annotation that repeats them.
type secretValue struct {
	namespace, name, section, key string
}

// secretWalk visits the values of all Secrets in a text, and puts what it returns in their place.
type secretWalk func(at secretValue, value any) any

// text walks through a text. One in which no Secret is stays as it is.
func (w secretWalk) text(text string) (string, error) {
	// Without one of these there is no kind Secret, however it is written. Most texts are not parsed for nothing.
	if !strings.Contains(text, "Secret") && !strings.Contains(text, `\`) {
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
		if w.value(d.value) {
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

// value walks through a decoded value, which it changes; it tells whether there was a Secret in it. Secrets stand in Lists and in envelopes as
// well, in ConfigMaps as texts.
func (w secretWalk) value(value any) (found bool) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			found = w.value(element) || found
		}
	case map[string]any:
		switch {
		case value["kind"] == "Secret" && value["apiVersion"] == "v1":
			w.secret(value)
			return true
		case value["kind"] == "ConfigMap" && value["apiVersion"] == "v1":
			return w.configMap(value)
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			found = w.value(value[key]) || found
		}
	}
	return found
}

func (w secretWalk) configMap(fields map[string]any) (found bool) {
	data, _ := fields["data"].(map[string]any)
	for key, value := range data {
		text, _ := value.(string)
		if walked, err := w.text(text); err == nil && walked != text {
			data[key], found = walked, true
		}
	}
	return found
}

// lastApplied repeats the whole Secret.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func (w secretWalk) secret(fields map[string]any) {
	at := secretValue{}
	at.namespace, _, _ = unstructured.NestedString(fields, "metadata", "namespace")
	at.name, _, _ = unstructured.NestedString(fields, "metadata", "name")
	for _, section := range []string{"data", "stringData"} {
		at.section, at.key = section, ""
		values, isMap := fields[section].(map[string]any)
		if !isMap && fields[section] != nil {
			fields[section] = w(at, fields[section])
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
