package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithUpgradeState   = (*Resource)(nil)
	_ resource.ResourceWithMoveState      = (*Resource)(nil)
)

// Kind is a kind of placement. It provides what differs between the kinds.
type Kind interface {
	// TypeName returns the name of the resource type without the provider's prefix.
	TypeName() string
	Schema(ctx context.Context) schema.Schema
	// Upgraders returns the upgraders for states of earlier versions of the schema.
	Upgraders(ctx context.Context) map[int64]resource.StateUpgrader
	Identity() identity.Format
	object.Converter[Model]
}

// Resource is the resource of a kind of placement.
type Resource struct {
	kind    Kind
	session *session.Session
}

// NewResource returns the resource of a kind.
func NewResource(kind Kind) *Resource { return &Resource{kind: kind} }

// Metadata returns the name of the resource type.
func (r *Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + r.kind.TypeName()
	response.ResourceBehavior.MutableIdentity = true // the identity contains the name, and some engines rename placements
}

// Schema returns the schema of the resource.
func (r *Resource) Schema(ctx context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = r.kind.Schema(ctx)
}

// UpgradeState returns the upgraders for states of earlier versions.
func (r *Resource) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	return r.kind.Upgraders(ctx)
}

// IdentitySchema returns the schema of the identity.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = r.kind.Identity().Schema()
}

// Configure receives the session from the provider.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ValidateConfig validates what can be validated without a cluster.
func (r *Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	data := r.kind.Get(ctx, request.Config, &response.Diagnostics)
	if !response.Diagnostics.HasError() {
		data.Validate(ctx, request.Config, &response.Diagnostics)
	}
}

// ModifyPlan checks the clusters and reports what an apply or a destroy would do.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	defer r.session.Work()()
	prior := r.readPrior(ctx, request.State, &response.Diagnostics)
	if request.Plan.Raw.IsNull() {
		if prior != nil && !response.Diagnostics.HasError() {
			end := r.session.BeginPlan(prior.key(), prior.key())
			prior.PlanDelete(ctx, r.session, request.Private, &response.Diagnostics)
			end(&response.Diagnostics)
		}
		return
	}
	planned := r.kind.Get(ctx, request.Plan, &response.Diagnostics)
	if !response.Diagnostics.HasError() {
		before := ""
		if prior != nil {
			before = prior.key()
		}
		end := r.session.BeginPlan(planned.key(), before)
		planned.Plan(ctx, r.session, prior, request, response)
		end(&response.Diagnostics)
		response.Diagnostics = r.session.UnreportedDiagnostics(response.Diagnostics)
	}
}

func (r *Resource) readPrior(ctx context.Context, state tfsdk.State, diags *diag.Diagnostics) *Model {
	if state.Raw.IsNull() {
		return nil
	}
	return new(r.kind.Get(ctx, state, diags))
}

// Create creates the placement and its objects.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	data := r.kind.Get(ctx, request.Plan, &response.Diagnostics)
	if !response.Diagnostics.HasError() && data.Create(ctx, r.session, response.Private, request.Config, &response.Diagnostics) {
		r.store(ctx, data, &response.State, response.Identity, &response.Diagnostics)
	}
}

// Update applies the planned changes, or completes an earlier apply.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	data := r.kind.Get(ctx, request.Plan, &response.Diagnostics)
	prior := r.readPrior(ctx, request.State, &response.Diagnostics)
	if !response.Diagnostics.HasError() && data.Update(ctx, r.session, prior, response.Private, request.Config, &response.Diagnostics) {
		r.store(ctx, data, &response.State, response.Identity, &response.Diagnostics)
	}
}

// store writes the state and the identity, even if the operation was interrupted.
func (r *Resource) store(ctx context.Context, m Model, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	ctx = context.WithoutCancel(ctx)
	diags.Append(r.kind.Set(ctx, state, m)...)
	r.kind.Identity().Set(ctx, identity, *state, diags)
}

// Read refreshes the placement. It removes the placement from the state only if the placement is proven not to exist.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	data := r.kind.Get(ctx, request.State, &response.Diagnostics)
	r.kind.Identity().Set(ctx, response.Identity, request.State, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	defer r.session.Work()()
	end := r.session.BeginRead(data.key())
	exists := data.Read(ctx, r.session, response.Private, &response.Diagnostics)
	switch {
	case !exists:
		response.State.RemoveResource(ctx)
	case !response.Diagnostics.HasError():
		response.Diagnostics.Append(r.kind.Set(ctx, &response.State, data)...)
	}
	end(exists && !response.Diagnostics.HasError())
}

// Delete removes the placement; see [Model.Delete].
func (r *Resource) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	data := r.kind.Get(ctx, request.State, &response.Diagnostics)
	if !response.Diagnostics.HasError() {
		data.Delete(ctx, r.session, response.Private, &response.Diagnostics)
	}
}

// ImportState imports the placement by the kind's identity.
func (r *Resource) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	r.kind.Identity().Import(ctx, request, response)
}
