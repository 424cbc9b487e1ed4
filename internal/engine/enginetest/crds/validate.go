package crds

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"
)

// validator validates values against a structural schema.
type validator struct{ problems []string }

func (v *validator) add(path, format string, args ...any) {
	v.problems = append(v.problems, path+": "+fmt.Sprintf(format, args...))
}

func (v *validator) value(path string, schema map[string]any, value any) {
	if preserves, _ := schema["x-kubernetes-preserve-unknown-fields"].(bool); preserves && schema["properties"] == nil {
		return
	}
	if allowed, _ := schema["enum"].([]any); allowed != nil && !slices.Contains(allowed, value) {
		v.add(path, "%v is none of %v", value, allowed)
	}
	if intOrString, _ := schema["x-kubernetes-int-or-string"].(bool); intOrString {
		switch value := value.(type) {
		case int64:
		case string:
			v.text(path, schema, value)
		default:
			v.add(path, "%T is neither a number nor a text", value)
		}
		return
	}
	v.typed(path, schema, value)
}

// typed validates a value against the type in its schema.
func (v *validator) typed(path string, schema map[string]any, value any) {
	switch kind, _ := schema["type"].(string); kind {
	case "object":
		if fields, is := value.(map[string]any); is {
			v.object(path, schema, fields)
			return
		}
	case "array":
		if list, is := value.([]any); is {
			v.list(path, schema, list)
			return
		}
	case "string":
		if text, is := value.(string); is {
			v.text(path, schema, text)
			return
		}
	case "boolean":
		if _, is := value.(bool); is {
			return
		}
	case "integer":
		if number, is := value.(int64); is {
			v.bounds(path, schema, "minimum", "maximum", number)
			return
		}
	}
	v.add(path, "%T is no %v", value, schema["type"])
}

func (v *validator) object(path string, schema map[string]any, fields map[string]any) {
	v.bounds(path, schema, "minProperties", "maxProperties", int64(len(fields)))
	properties, _ := schema["properties"].(map[string]any)
	others, _ := schema["additionalProperties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		field, _ := name.(string)
		property, _ := properties[field].(map[string]any)
		if _, found := fields[field]; !found && property["default"] == nil {
			v.add(path+"."+field, "it is required")
		}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		below := path + "." + field
		property, _ := properties[field].(map[string]any)
		switch {
		case field == "metadata" && path == "": // the API server has its own schema for it
		case property != nil:
			v.value(below, property, fields[field])
		case others != nil:
			v.value(below, others, fields[field])
		default:
			v.add(below, "there is no such field")
		}
	}
}

func (v *validator) list(path string, schema map[string]any, list []any) {
	v.bounds(path, schema, "minItems", "maxItems", int64(len(list)))
	items, _ := schema["items"].(map[string]any)
	for i, item := range list {
		v.value(fmt.Sprintf("%s[%d]", path, i), items, item)
	}
}

func (v *validator) text(path string, schema map[string]any, text string) {
	v.bounds(path, schema, "minLength", "maxLength", int64(utf8.RuneCountInString(text)))
	pattern, _ := schema["pattern"].(string)
	if pattern == "" {
		return
	}
	if compiled, err := regexp.Compile(pattern); err != nil || !compiled.MatchString(text) {
		v.add(path, "%q does not match %s", text, pattern)
	}
}

func (v *validator) bounds(path string, schema map[string]any, least, most string, number int64) {
	if bound, is := whole(schema[least]); is && number < bound {
		v.add(path, "%d is less than %s %d", number, least, bound)
	}
	if bound, is := whole(schema[most]); is && number > bound {
		v.add(path, "%d is more than %s %d", number, most, bound)
	}
}

// whole reads a number of a schema.
func whole(value any) (int64, bool) {
	switch n := value.(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), true
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	default:
		return 0, false
	}
}
