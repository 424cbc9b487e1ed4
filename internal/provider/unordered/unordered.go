// Package unordered has a plan modifier for lists whose order has no meaning.
package unordered

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
)

// KeepOrder keeps the list of the state if the configuration has the same elements in another order, so that reordering plans no change. It is for
// lists of primitive types: in an object, Terraform does not accept a planned value for an attribute that the configuration omits.
func KeepOrder() planmodifier.List { return keepOrder{} }

type keepOrder struct{}

func (keepOrder) Description(context.Context) string {
	return "The order of the elements is not a difference"
}

func (m keepOrder) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepOrder) PlanModifyList(_ context.Context, request planmodifier.ListRequest, response *planmodifier.ListResponse) {
	if request.StateValue.IsNull() || request.PlanValue.IsNull() || request.PlanValue.IsUnknown() {
		return
	}
	left := slices.Clone(request.StateValue.Elements())
	for _, element := range request.PlanValue.Elements() {
		at := slices.IndexFunc(left, func(other attr.Value) bool { return element.Equal(other) })
		if at < 0 {
			return
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) == 0 {
		response.PlanValue = request.StateValue
	}
}
