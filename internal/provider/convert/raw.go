package convert

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Known tells whether everything is known in a configuration, a plan or a state, but what is in the attributes that are excepted.
func Known(in tftypes.Value, except ...string) bool {
	if in.IsNull() || len(except) == 0 {
		return in.IsFullyKnown()
	}
	for name, value := range attributes(in) {
		if !slices.Contains(except, name) && !value.IsFullyKnown() {
			return false
		}
	}
	return in.IsKnown()
}

// Differs tells whether a plan and a state of one schema are not the same in an attribute that is not excepted. It compares texts byte by
// byte: what plan modifiers found to mean the same is already written in the state's words.
func Differs(plan, state tftypes.Value, except ...string) bool {
	planned, prior := attributes(plan), attributes(state)
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

// attributes are those of a resource; none if it is null or not known.
func attributes(in tftypes.Value) map[string]tftypes.Value {
	out := map[string]tftypes.Value{}
	if in.IsNull() || !in.IsKnown() {
		return out
	}
	if err := in.As(&out); err != nil {
		return map[string]tftypes.Value{} // not an object, which the value of a resource is
	}
	return out
}
