package resourceplacement

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestReservedNamespace checks that the schema rejects the namespaces of the cluster and of the fleet, from which a hub places nothing.
func TestReservedNamespace(t *testing.T) {
	attribute, ok := Kind{}.Schema(t.Context()).Attributes["namespace"].(schema.StringAttribute)
	if !ok {
		t.Fatal("the namespace is not a string attribute")
	}
	for namespace, valid := range map[string]bool{
		"web": true, "default": true, "kube-system": false, "fleet-system": false, "fleet-member-a": false, "Web": false,
	} {
		var response validator.StringResponse
		for _, v := range attribute.Validators {
			v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("namespace"), ConfigValue: types.StringValue(namespace)}, &response)
		}
		if response.Diagnostics.HasError() == valid {
			t.Errorf("%s: %v", namespace, response.Diagnostics)
		}
	}
}
