package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

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

// Kind is a kind of placement: what its resource does not share with those of other kinds.
type Kind interface {
	// TypeName is the name of the type without that of the provider.
	TypeName() string
	Schema(ctx context.Context) schema.Schema
	// Upgraders read states of earlier versions of the schema.
	Upgraders(ctx context.Context) map[int64]resource.StateUpgrader
	// Get reads the placement from a configuration, a plan or a state; Set writes it into a state.
	Get(ctx context.Context, from Source, diags *diag.Diagnostics) Model
	Set(ctx context.Context, to Target, m Model) diag.Diagnostics
	// Identity is what Terraform knows the placement by.
	Identity(m Model) any
	IdentitySchema() identityschema.Schema
	Import(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse)
}

// Source is a configuration, a plan or a state.
type Source interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

// Target is a state.
type Target interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}

// Resource is the resource of a kind of placement.
type Resource struct {
	kind    Kind
	session *session.Session
}

// NewResource makes the resource of a kind.
func NewResource(kind Kind) *Resource { return &Resource{kind: kind} }

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + r.kind.TypeName()
	response.ResourceBehavior.MutableIdentity = true // the name is a part of it
}

// Schema describes the resource.
func (r *Resource) Schema(ctx context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = r.kind.Schema(ctx)
}

// UpgradeState reads states of earlier versions.
func (r *Resource) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	return r.kind.Upgraders(ctx)
}

// IdentitySchema says what identifies a placement.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = r.kind.IdentitySchema()
}

// Configure takes the session.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ValidateConfig checks what needs no cluster.
func (r *Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	data := r.kind.Get(ctx, request.Config, &response.Diagnostics)
	if !response.Diagnostics.HasError() {
		data.Validate(ctx, request.Config, &response.Diagnostics)
	}
}

// ModifyPlan looks at the clusters and tells what an apply, or a destroy, would do.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	defer r.session.Work()()
	prior := r.before(ctx, request.State, &response.Diagnostics)
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
		response.Diagnostics = r.session.News(response.Diagnostics)
	}
}

// before is the placement as it was; nil if there was none.
func (r *Resource) before(ctx context.Context, state tfsdk.State, diags *diag.Diagnostics) *Model {
	if state.Raw.IsNull() {
		return nil
	}
	return new(r.kind.Get(ctx, state, diags))
}

// Create places the objects.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	data := r.kind.Get(ctx, request.Plan, &response.Diagnostics)
	if !response.Diagnostics.HasError() && data.Create(ctx, r.session, response.Private, request.Config, &response.Diagnostics) {
		r.keep(ctx, data, &response.State, response.Identity, &response.Diagnostics)
	}
}

// Update makes the placement what the plan says, or goes on with one that was not completed.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	data := r.kind.Get(ctx, request.Plan, &response.Diagnostics)
	prior := r.before(ctx, request.State, &response.Diagnostics)
	if !response.Diagnostics.HasError() && data.Update(ctx, r.session, prior, response.Private, request.Config, &response.Diagnostics) {
		r.keep(ctx, data, &response.State, response.Identity, &response.Diagnostics)
	}
}

// keep puts the model into the state, also when what has been done was interrupted.
func (r *Resource) keep(ctx context.Context, m Model, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	ctx = context.WithoutCancel(ctx)
	diags.Append(r.kind.Set(ctx, state, m)...)
	diags.Append(identity.Set(ctx, r.kind.Identity(m))...)
}

// Read refreshes the placement. Only a proven absence removes it from the state.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	data := r.kind.Get(ctx, request.State, &response.Diagnostics)
	response.Diagnostics.Append(response.Identity.Set(ctx, r.kind.Identity(data))...)
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

// Delete removes what the placement created and gives up what it took over.
func (r *Resource) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	data := r.kind.Get(ctx, request.State, &response.Diagnostics)
	if !response.Diagnostics.HasError() {
		data.Delete(ctx, r.session, response.Private, &response.Diagnostics)
	}
}

// ImportState takes what the kind is identified by.
func (r *Resource) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	r.kind.Import(ctx, request, response)
}
