package convert

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Without upgrades a state in which an attribute that is only told had another shape: it is left out until the refresh that follows.
func Without(attribute string, current schema.Schema) resource.StateUpgrader {
	return resource.StateUpgrader{
		StateUpgrader: func(ctx context.Context, request resource.UpgradeStateRequest, response *resource.UpgradeStateResponse) {
			upgraded, err := without(attribute, request.RawState.JSON, current.Type().TerraformType(ctx))
			if err != nil {
				response.Diagnostics.AddError("The state of an earlier version cannot be read", err.Error()+
					". Remove the resource from the state (terraform state rm) and import it.")
				return
			}
			response.DynamicValue = upgraded
		},
	}
}

func without(attribute string, state []byte, current tftypes.Type) (*tfprotov6.DynamicValue, error) {
	attributes := map[string]json.RawMessage{}
	if err := json.Unmarshal(state, &attributes); err != nil {
		return nil, err
	}
	attributes[attribute] = json.RawMessage("null")
	rest, err := json.Marshal(attributes)
	if err != nil {
		return nil, err
	}
	value, err := (&tfprotov6.RawState{JSON: rest}).UnmarshalWithOpts(current, tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		return nil, err
	}
	out, err := tfprotov6.NewDynamicValue(current, value)
	return &out, err
}
