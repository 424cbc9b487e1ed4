// Package membertoken implements the ephemeral resource fleet_member_token.
package membertoken

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*Token)(nil)

// Token is the ephemeral resource fleet_member_token.
type Token struct{ session *session.Session }

// New returns the ephemeral resource.
func New() ephemeral.EphemeralResource { return &Token{} }

type model struct {
	Name              types.String      `tfsdk:"name"`
	ExpirationSeconds wholenumber.Value `tfsdk:"expiration_seconds"`
	Token             types.String      `tfsdk:"token"`
	Expiration        types.String      `tfsdk:"expiration"`
	HubURL            types.String      `tfsdk:"hub_url"`
	HubCA             types.String      `tfsdk:"hub_ca"`
	IdentityName      types.String      `tfsdk:"identity_name"`
	IdentityNamespace types.String      `tfsdk:"identity_namespace"`
	MemberNamespace   types.String      `tfsdk:"member_namespace"`
}

const (
	// defaultLifetime is long enough to install an agent. minLifetime is the shortest lifetime, in seconds, of a token that the API server issues.
	defaultLifetime = time.Hour
	minLifetime     = 600
)

// Metadata returns the name of the ephemeral resource.
func (*Token) Metadata(_ context.Context, request ephemeral.MetadataRequest, response *ephemeral.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_member_token"
}

// Schema returns the schema of the ephemeral resource.
func (*Token) Schema(_ context.Context, _ ephemeral.SchemaRequest, response *ephemeral.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	response.Schema = schema.Schema{
		MarkdownDescription: "A short-lived token with which the agent of a member signs in to the hub, and the other values for the agent's Helm " +
			"chart. The token is in no plan and no state. The ephemeral resource needs the engine `kubefleet`, and a `fleet_member_cluster` without `identity` or with an " +
			"identity of kind `ServiceAccount`.\n\n" +
			"The agent always needs a valid token. Renew the token before it expires, for example by an apply on a schedule, or set a sufficient lifetime.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the member.", Validators: []validator.String{validate.ObjectName()}},
			"expiration_seconds": schema.Int32Attribute{
				CustomType: wholenumber.Type{Legal: minLifetime}, Optional: true,
				MarkdownDescription: "Lifetime of the token in seconds, at least 600. The default is 3600. The hub may issue a token with another " +
					"lifetime.",
				Validators: []validator.Int32{validate.AtLeast(minLifetime)},
			},
			"token":      schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "The token."},
			"expiration": text("When the token expires, in RFC 3339."),
			"hub_url":    text("Address of the hub's API server as the provider reaches it: `config.hubURL` of the chart `member-agent`."),
			"hub_ca": text("Certificates of the hub's API server, base64-encoded for the chart (`config.hubCA`); empty if they are " +
				"publicly trusted."),
			"identity_name":      text("Name of the agent's ServiceAccount on the hub."),
			"identity_namespace": text("Namespace of the ServiceAccount."),
			"member_namespace":   text("Namespace of the member on the hub. The hub grants the ServiceAccount its rights there."),
		},
	}
}

// Configure receives the session from the provider.
func (t *Token) Configure(_ context.Context, request ephemeral.ConfigureRequest, response *ephemeral.ConfigureResponse) {
	t.session = session.From(request.ProviderData, &response.Diagnostics)
}

// Open requests a token from the hub.
func (t *Token) Open(ctx context.Context, request ephemeral.OpenRequest, response *ephemeral.OpenResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	fleet := t.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	lifetime := defaultLifetime
	if !data.ExpirationSeconds.IsNull() {
		lifetime = time.Duration(data.ExpirationSeconds.ValueInt32()) * time.Second
	}
	access, err := fleet.AgentAccess(ctx, data.Name.ValueString(), lifetime)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		response.Diagnostics.AddAttributeError(path.Root("name"), "There is no member "+data.Name.String(), "The hub has no MemberCluster of that "+
			"name. If this configuration registers it, derive the name from the status, which is known only after the registration: name = "+
			"fleet_member_cluster.NAME.status == null ? \"\" : fleet_member_cluster.NAME.name.")
		return
	case err != nil:
		report.Error(&response.Diagnostics, path.Root("name"), "No token for the agent of "+data.Name.String(), err)
		return
	}
	data.Token, data.Expiration = types.StringValue(access.Token), types.StringValue(access.Expires.UTC().Format(time.RFC3339))
	data.HubURL = types.StringValue(access.HubURL)
	data.HubCA = types.StringValue(base64.StdEncoding.EncodeToString(access.HubCA))
	data.IdentityName, data.IdentityNamespace = convert.Line(access.Identity.Name), convert.Line(access.Identity.Namespace)
	data.MemberNamespace = convert.Line(access.MemberNamespace)
	response.Diagnostics.Append(response.Result.Set(ctx, data)...)
}
