package convert

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Known reports whether everything in a configuration, a plan or a state is known, without regard to the attributes in except.
func Known(in tftypes.Value, except ...string) bool {
	if in.IsNull() || len(except) == 0 {
		return in.IsFullyKnown()
	}
	for name, value := range listAttributes(in) {
		if !slices.Contains(except, name) && !value.IsFullyKnown() {
			return false
		}
	}
	return in.IsKnown()
}

// Differs reports whether a plan and a state of the same schema differ in an attribute that is not in except. It compares texts byte by byte: if plan
// modifiers found that two texts mean the same, the plan has the text of the state.
func Differs(plan, state tftypes.Value, except ...string) bool {
	planned, prior := listAttributes(plan), listAttributes(state)
	if len(planned) != len(prior) {
		return true // one of them is null
	}
	for name, value := range planned {
		if !slices.Contains(except, name) && !value.Equal(prior[name]) {
			return true
		}
	}
	return false
}

// listAttributes returns an empty map if the resource is null or unknown.
func listAttributes(in tftypes.Value) map[string]tftypes.Value {
	out := map[string]tftypes.Value{}
	if in.IsNull() || !in.IsKnown() {
		return out
	}
	if err := in.As(&out); err != nil {
		return map[string]tftypes.Value{} // not an object: the value of a resource always is one
	}
	return out
}
