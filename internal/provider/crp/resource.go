// Package crp is the resource fleet_crp.
package crp

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithUpgradeState   = (*Resource)(nil)
)

// Resource is fleet_crp.
type Resource struct{ session *session.Session }

// New makes the resource.
func New() resource.Resource { return &Resource{} }

// model is the resource as Terraform has it: a placement has nothing of its own that it does not share with placements of other kinds.
type model struct{ placement.Model }

func (m model) identity() identity.Named { return identity.Named{Name: m.Name} }

// Metadata names the resource.
func (*Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_crp"
}

// Schema describes the resource.
func (*Resource) Schema(ctx context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = resourceSchema(ctx)
}

func resourceSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		Version: 1,
		MarkdownDescription: "Places objects on clusters of the fleet. The arguments are the fields of KubeFleet's `ClusterResourcePlacement` in " +
			"snake_case, with the same shapes and defaults.\n\n" +
			"The plan looks at every cluster that the placement is predicted to land on and warns about objects that exist there already: whose " +
			"they are, in which fields they differ, and what `strategy.apply_strategy.when_to_take_over` will do about them. " +
			"The plan of a removal says what is deleted on every cluster and what stays there.\n\n" +
			"A placement that cannot be completed on some clusters does not fail when it is created: what is missing stands in " +
			"`status`, and why in a warning, and the next apply goes on. On update it is an error; see `wait.on_failure`.",
		Attributes: placement.Attributes(ctx),
	}
}

// UpgradeState reads states of before the status was a summary.
func (*Resource) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: convert.Without("status", resourceSchema(ctx))}
}

// IdentitySchema says what identifies a placement.
func (*Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = identity.NamedSchema("placement")
}

// Configure takes the session.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ValidateConfig checks what needs no cluster.
func (*Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if !response.Diagnostics.HasError() {
		data.Validate(ctx, request.Config, &response.Diagnostics)
	}
}

// ModifyPlan looks at the clusters and tells what an apply, or a destroy, would do.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	prior := before(ctx, request.State, &response.Diagnostics)
	if request.Plan.Raw.IsNull() {
		if prior != nil && !response.Diagnostics.HasError() {
			prior.PlanDelete(ctx, r.session, request.Private, &response.Diagnostics)
		}
		return
	}
	var planned model
	response.Diagnostics.Append(request.Plan.Get(ctx, &planned)...)
	if !response.Diagnostics.HasError() {
		planned.Plan(ctx, r.session, prior, request, response)
		response.Diagnostics = r.session.News(response.Diagnostics)
	}
}

// before is the placement as it was; nil if there was none.
func before(ctx context.Context, state tfsdk.State, diags *diag.Diagnostics) *placement.Model {
	if state.Raw.IsNull() {
		return nil
	}
	var prior model
	diags.Append(state.Get(ctx, &prior)...)
	return &prior.Model
}

// Create places the objects.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	var data model
	response.Diagnostics.Append(request.Plan.Get(ctx, &data)...)
	if !response.Diagnostics.HasError() && data.Create(ctx, r.session, response.Private, request.Config, &response.Diagnostics) {
		data.keep(ctx, &response.State, response.Identity, &response.Diagnostics)
	}
}

// Update makes the placement what the plan says, or goes on with one that was not completed.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	var data model
	response.Diagnostics.Append(request.Plan.Get(ctx, &data)...)
	if !response.Diagnostics.HasError() && data.Update(ctx, r.session, response.Private, request.Config, &response.Diagnostics) {
		data.keep(ctx, &response.State, response.Identity, &response.Diagnostics)
	}
}

// keep puts the model into the state, also when what has been done was interrupted.
func (m model) keep(ctx context.Context, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	ctx = context.WithoutCancel(ctx)
	diags.Append(state.Set(ctx, m)...)
	diags.Append(identity.Set(ctx, m.identity())...)
}

// Read refreshes the placement. Only a proven absence removes it from the state.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var data model
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	response.Diagnostics.Append(response.Identity.Set(ctx, data.identity())...)
	if response.Diagnostics.HasError() {
		return
	}
	exists := data.Read(ctx, r.session, response.Private, &response.Diagnostics)
	switch {
	case !exists:
		response.State.RemoveResource(ctx)
	case !response.Diagnostics.HasError():
		response.Diagnostics.Append(response.State.Set(ctx, data)...)
	}
}

// Delete removes what the placement created and gives up what it took over.
func (r *Resource) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	var data model
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	if !response.Diagnostics.HasError() {
		data.Delete(ctx, r.session, request.Private, &response.Diagnostics)
	}
}

// ImportState takes the placement's name.
func (*Resource) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	identity.ImportNamed(ctx, request, response)
}
