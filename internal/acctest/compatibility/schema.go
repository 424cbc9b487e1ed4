package compatibility

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Schemas are the schemas of a provider, by kind and name: "resource fleet_crp", "function manifests".
type Schemas map[string]Schema

// Schema is the schema of one resource, data source, action, function or other block.
type Schema struct {
	// Version is the version of the state's format.
	Version int64
	// Attributes are by path. The fields of nested attributes have a path of their own, "policy.cluster_names".
	Attributes map[string]Attribute
}

// Attribute is an attribute, or a parameter or the result of a function.
type Attribute struct {
	// Type is written as in a variable block. A nested attribute is "object", "list of object" and so on.
	Type string
	// Required, Optional, Computed, Sensitive and WriteOnly are as in Terraform's schemas. Replaces: a change always replaces the resource. MayReplace: a
	// change replaces it under some conditions, for example with one engine.
	Required, Optional, Computed, Sensitive, WriteOnly, Replaces, MayReplace bool
	// Values are the accepted values, sorted. It is nil if the schema does not limit them.
	Values []string
}

// isArgument reports whether a configuration may set the attribute.
func (a Attribute) isArgument() bool { return a.Required || a.Optional }

// flags are the properties of an attribute in the order of the text.
var flags = []struct {
	name string
	of   func(*Attribute) *bool
}{
	{"required", func(a *Attribute) *bool { return &a.Required }},
	{"optional", func(a *Attribute) *bool { return &a.Optional }},
	{"computed", func(a *Attribute) *bool { return &a.Computed }},
	{"sensitive", func(a *Attribute) *bool { return &a.Sensitive }},
	{"write-only", func(a *Attribute) *bool { return &a.WriteOnly }},
	{"replaces", func(a *Attribute) *bool { return &a.Replaces }},
	{"may replace", func(a *Attribute) *bool { return &a.MayReplace }},
}

const (
	versionPrefix = ", version "
	valuesPrefix  = "one of "
)

// String returns the schemas as text that [Parse] reads: a line for each block, and an indented line for each of its attributes.
func (s Schemas) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s%s%d\n", name, versionPrefix, s[name].Version)
		for _, path := range slices.Sorted(maps.Keys(s[name].Attributes)) {
			fmt.Fprintf(&b, "  %s: %s\n", path, s[name].Attributes[path])
		}
	}
	return b.String()
}

// String returns the type and the properties of the attribute.
func (a Attribute) String() string {
	parts := []string{a.Type}
	for _, flag := range flags {
		if *flag.of(&a) {
			parts = append(parts, flag.name)
		}
	}
	if a.Values != nil {
		parts = append(parts, valuesPrefix+strings.Join(a.Values, "|"))
	}
	return strings.Join(parts, "; ")
}

// Parse parses the text of schemas.
func Parse(text string) (Schemas, error) {
	out := Schemas{}
	var name string
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		attribute, indented := strings.CutPrefix(line, "  ")
		if !indented {
			title, version, _ := strings.Cut(line, versionPrefix)
			current := Schema{Attributes: map[string]Attribute{}}
			if _, err := fmt.Sscan(version, &current.Version); err != nil {
				return nil, fmt.Errorf("line %d: no version: %q", i+1, line)
			}
			name, out[title] = title, current
			continue
		}
		path, properties, found := strings.Cut(attribute, ": ")
		if !found || name == "" {
			return nil, fmt.Errorf("line %d: not an attribute: %q", i+1, line)
		}
		parsed, err := parseAttribute(properties)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out[name].Attributes[path] = parsed
	}
	return out, nil
}

func parseAttribute(text string) (Attribute, error) {
	parts := strings.Split(text, "; ")
	out := Attribute{Type: parts[0]}
	for _, part := range parts[1:] {
		if values, is := strings.CutPrefix(part, valuesPrefix); is {
			out.Values = strings.Split(values, "|")
			continue
		}
		known := false
		for _, flag := range flags {
			if flag.name == part {
				*flag.of(&out), known = true, true
			}
		}
		if !known {
			return Attribute{}, fmt.Errorf("unknown property %q", part)
		}
	}
	return out, nil
}
