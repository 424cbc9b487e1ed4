package manifest

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Split parses YAML text and returns each object as a YAML text of its own, as [Texts] does.
func Split(source, text string) (map[string]string, error) {
	objects, err := Parse(source, text)
	if err != nil {
		return nil, err
	}
	return Texts(source, objects)
}

// Texts writes each object as a YAML text of its own, under a key that a ConfigMap accepts: KIND.NAMESPACE.NAME.yaml in lower case, with the API group
// behind the kind where the kind alone would not tell two objects apart. Two times the same object is an error; source is where they come from.
func Texts(source string, objects []Object) (map[string]string, error) {
	if twice := Duplicates(objects); len(twice) > 0 {
		return nil, fmt.Errorf("%s: %s", source, twice[0])
	}
	plain := map[string]int{}
	for _, object := range objects {
		plain[object.key(false)]++
	}
	out := map[string]string{}
	for _, object := range objects {
		key := object.key(plain[object.key(false)] > 1)
		content, err := write(object.Content.Object)
		if err != nil {
			return nil, fmt.Errorf("%s: %s cannot be written as YAML", source, object)
		}
		if _, taken := out[key]; taken {
			return nil, fmt.Errorf("%s: %s and another object have the same key %q", source, object, key)
		}
		out[key] = content
	}
	return out, nil
}

// write writes an object as YAML, and one with characters that the YAML library does not accept as JSON, which is YAML as well.
func write(object map[string]any) (string, error) {
	if text, err := yaml.Marshal(object); err == nil {
		return string(text), nil
	}
	text, err := json.Marshal(object)
	return printable.Line(string(text)), err
}

// key names an object; what a key of a ConfigMap must not have becomes a dash.
func (o Object) key(withGroup bool) string {
	parts := []string{strings.ToLower(o.Kind)}
	if withGroup && o.Group != "" {
		parts = append(parts, o.Group)
	}
	if o.Namespace != "" {
		parts = append(parts, o.Namespace)
	}
	key := strings.Join(append(parts, o.Name, "yaml"), ".")
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		default:
			return '-'
		}
	}, key)
}
