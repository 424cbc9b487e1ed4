package yamltext

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
)

// KeepEquivalent keeps the text of the state if the configuration means the same, so that reformatting plans no change. The framework's semantic
// equality does this for the result of an apply or a refresh, but not for a plan.
func KeepEquivalent() planmodifier.Map { return keepEquivalent{} }

type keepEquivalent struct{}

func (keepEquivalent) Description(context.Context) string {
	return "YAML that means the same is not a difference"
}

func (m keepEquivalent) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepEquivalent) PlanModifyMap(ctx context.Context, request planmodifier.MapRequest, response *planmodifier.MapResponse) {
	if request.StateValue.IsNull() || request.PlanValue.IsNull() || request.PlanValue.IsUnknown() {
		return
	}
	state, planned := removeNulls(request.StateValue.Elements()), removeNulls(request.PlanValue.Elements())
	if len(state) != len(planned) {
		return
	}
	for key, value := range planned {
		text, ok := value.(Value)
		before, found := state[key].(Value)
		if !ok || !found || text.IsUnknown() {
			return
		}
		if same, _ := text.StringSemanticEquals(ctx, before); !same {
			return
		}
	}
	response.PlanValue = request.StateValue
}

func removeNulls(elements map[string]attr.Value) map[string]attr.Value {
	maps.DeleteFunc(elements, func(_ string, element attr.Value) bool { return element.IsNull() })
	return elements
}
