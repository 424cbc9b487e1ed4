package manifest

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Texts returns each object as a separate YAML text, under a key that is valid in a ConfigMap: KIND.NAMESPACE.NAME.yaml with the kind in lower case, and
// with the API group after the kind if the key would be ambiguous without it. A cluster-scoped object has no NAMESPACE in its key. Texts returns an error if
// an object is a duplicate or if two objects have the same key. source is the origin of the objects, for errors.
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
		content, err := encodeYAML(object.Content.Object)
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

// encodeYAML encodes an object as YAML, or as JSON, which is valid YAML, if it has characters that the YAML library rejects.
func encodeYAML(object map[string]any) (string, error) {
	if text, err := yaml.Marshal(object); err == nil {
		return string(text), nil
	}
	text, err := json.Marshal(object)
	return printable.Line(string(text)), err
}

// key returns a key for an object. Characters that are invalid in the key of a ConfigMap become dashes.
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
