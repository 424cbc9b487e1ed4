package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Misspelt asks of an object that is empty whether it is meant so: Terraform drops a key that it does not know without a word, before a provider
// sees it, and an empty object is what is left of one that is misspelt.
const Misspelt = "Terraform drops a key that it does not know without a word: is one misspelt, or in camelCase?"

// EmptyObjects warns of objects in a configuration in which nothing is set. An empty label selector means something: it matches everything.
func EmptyObjects(config tftypes.Value, diags *diag.Diagnostics) {
	_ = tftypes.Walk(config, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		steps := at.Steps()
		if len(steps) == 0 || !value.IsKnown() || value.IsNull() {
			return true, nil
		}
		fields := attributes(value)
		last, named := steps[len(steps)-1].(tftypes.AttributeName)
		if len(fields) == 0 || !value.Type().Is(tftypes.Object{}) || named && last == "label_selector" {
			return true, nil
		}
		for _, field := range fields {
			if !field.IsNull() {
				return true, nil
			}
		}
		first, _ := steps[0].(tftypes.AttributeName)
		diags.AddAttributeWarning(path.Root(string(first)), "Empty object "+written(steps), fmt.Sprintf("It says nothing. %s The keys are %s.", Misspelt, strings.Join(slices.Sorted(maps.Keys(fields)), ", ")))
		return false, nil
	})
}

// written is a path as users write it.
func written(steps []tftypes.AttributePathStep) string {
	var b strings.Builder
	for i, step := range steps {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&b, "[%q]", string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&b, "[%d]", int64(step))
		}
	}
	return b.String()
}
