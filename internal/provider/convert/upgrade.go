package convert

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Without returns an upgrader for a state in which a computed attribute had another type. The attribute is null until the refresh that follows.
func Without(attribute string, current schema.Schema) resource.StateUpgrader {
	return Upgrader(current, func(attributes map[string]json.RawMessage) error {
		attributes[attribute] = json.RawMessage("null")
		return nil
	})
}

// Upgrader returns an upgrader for a state of an earlier version. change converts the attributes, as JSON, to those of the current schema.
func Upgrader(current schema.Schema, change func(attributes map[string]json.RawMessage) error) resource.StateUpgrader {
	return resource.StateUpgrader{
		StateUpgrader: func(ctx context.Context, request resource.UpgradeStateRequest, response *resource.UpgradeStateResponse) {
			upgraded, err := upgrade(request.RawState.JSON, current.Type().TerraformType(ctx), change)
			if err != nil {
				response.Diagnostics.AddError("The state of an earlier version cannot be read", err.Error()+
					". Remove the resource from the state (terraform state rm) and import it.")
				return
			}
			response.DynamicValue = upgraded
		},
	}
}

func upgrade(state []byte, current tftypes.Type, change func(map[string]json.RawMessage) error) (*tfprotov6.DynamicValue, error) {
	attributes := map[string]json.RawMessage{}
	if err := json.Unmarshal(state, &attributes); err != nil {
		return nil, err
	}
	if err := change(attributes); err != nil {
		return nil, err
	}
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
