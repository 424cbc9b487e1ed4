package identity

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestImport checks which import IDs each format accepts, and that the identity of the imported object imports the same object.
func TestImport(t *testing.T) {
	described := schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true}, "namespace": schema.StringAttribute{Optional: true}, "placement_name": schema.StringAttribute{Optional: true},
	}}
	state := func() tfsdk.State {
		return tfsdk.State{Schema: described, Raw: tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)}
	}
	for title, c := range map[string]struct {
		format Format
		// valid has the namespace and the name of each valid ID.
		valid   map[string][2]string
		invalid []string
	}{
		"every text":        {Format{What: "x"}, map[string][2]string{"a": {"", "a"}, "a/b": {"", "a/b"}}, nil},
		"a name":            {Format{What: "x", Rule: "NAME"}, map[string][2]string{"a": {"", "a"}}, []string{"a/b"}},
		"another attribute": {Format{What: "x", Attribute: "placement_name"}, map[string][2]string{"a": {"", "a"}}, nil},
		"with a namespace":  {Format{What: "x", Scope: Namespaced}, map[string][2]string{"a/b": {"a", "b"}}, []string{"a", "a/", "/b", "a/b/c"}},
		"perhaps in one":    {Format{What: "x", Scope: EitherScope}, map[string][2]string{"a": {"", "a"}, "a/b": {"a", "b"}}, []string{"a/", "/b", "a/b/c"}},
	} {
		for id, want := range c.valid {
			byID := resource.ImportStateResponse{State: state()}
			c.format.Import(t.Context(), resource.ImportStateRequest{ID: id}, &byID)
			identitySchema := c.format.Schema()
			identity := &tfsdk.ResourceIdentity{Schema: identitySchema, Raw: tftypes.NewValue(identitySchema.Type().TerraformType(t.Context()), nil)}
			c.format.Set(t.Context(), identity, byID.State, &byID.Diagnostics)
			byIdentity := resource.ImportStateResponse{State: state()}
			c.format.Import(t.Context(), resource.ImportStateRequest{Identity: identity}, &byIdentity)
			var namespace, name types.String
			diags := byID.Diagnostics
			diags.Append(byIdentity.Diagnostics...)
			diags.Append(byIdentity.State.GetAttribute(t.Context(), c.format.At(), &name)...)
			diags.Append(byIdentity.State.GetAttribute(t.Context(), path.Root("namespace"), &namespace)...)
			if got := [2]string{namespace.ValueString(), name.ValueString()}; got != want || len(diags) > 0 {
				t.Errorf("%s: %q is imported as %q, %v", title, id, got, diags)
			}
		}
		for _, id := range c.invalid {
			response := resource.ImportStateResponse{State: state()}
			if c.format.Import(t.Context(), resource.ImportStateRequest{ID: id}, &response); !response.Diagnostics.HasError() {
				t.Errorf("%s: %q is valid", title, id)
			}
		}
	}
}
