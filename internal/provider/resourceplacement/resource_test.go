package resourceplacement

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A hub places nothing that is in the namespaces of the cluster and of the fleet.
func TestReservedNamespace(t *testing.T) {
	attribute, is := Kind{}.Schema(t.Context()).Attributes["namespace"].(schema.StringAttribute)
	if !is {
		t.Fatal("the namespace is no text")
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
