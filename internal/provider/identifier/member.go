package identifier

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

// OnMember has the arguments that name an object on a member.
type OnMember struct {
	Cluster   types.String `tfsdk:"cluster"`
	Group     types.String `tfsdk:"group"`
	Version   types.String `tfsdk:"version"`
	Kind      types.String `tfsdk:"kind"`
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// OnMemberAttributes returns the schema of an OnMember. A change of any argument replaces a resource.
func OnMemberAttributes() map[string]schema.Attribute {
	identifying := func(in schema.StringAttribute, check ...validator.String) schema.StringAttribute {
		in.Validators, in.PlanModifiers = check, []planmodifier.String{stringplanmodifier.RequiresReplace()}
		return in
	}
	required := func(description string, check ...validator.String) schema.StringAttribute {
		return identifying(schema.StringAttribute{Required: true, MarkdownDescription: description}, check...)
	}
	optional := func(description string, check ...validator.String) schema.StringAttribute {
		return identifying(schema.StringAttribute{Optional: true, MarkdownDescription: description}, check...)
	}
	return map[string]schema.Attribute{
		"cluster":   required("The member, a key of the provider argument `members`.", validate.AnyObjectName()),
		"group":     optional("API group, such as `apps`; omit it for the core group."),
		"version":   required("API version, such as `v1`.", validate.Filled("API version")),
		"kind":      required("Kind, such as `Deployment`.", validate.Filled("kind")),
		"namespace": optional("Namespace; omit it for cluster-scoped kinds.", validate.Namespace()),
		"name":      required("Name.", validate.AnyObjectName()),
	}
}

// Expand returns the identifier of the object.
func (o OnMember) Expand() manifest.Identifier {
	return manifest.Identifier{
		Group: o.Group.ValueString(), Version: o.Version.ValueString(), Kind: o.Kind.ValueString(), Namespace: o.Namespace.ValueString(), Name: o.Name.ValueString(),
	}
}

// HasUnknown reports whether a part of the identifier is unknown.
func (o OnMember) HasUnknown() bool {
	return o.Group.IsUnknown() || o.Version.IsUnknown() || o.Kind.IsUnknown() || o.Namespace.IsUnknown() || o.Name.IsUnknown()
}

// NewOnMember returns an object on a member.
func NewOnMember(cluster string, id manifest.Identifier) OnMember {
	return OnMember{
		Cluster: types.StringValue(cluster), Group: convert.String(id.Group), Version: types.StringValue(id.Version), Kind: types.StringValue(id.Kind),
		Namespace: convert.String(id.Namespace), Name: types.StringValue(id.Name),
	}
}
