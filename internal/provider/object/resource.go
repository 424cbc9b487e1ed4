package object

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource[any])(nil)
	_ resource.ResourceWithValidateConfig = (*Resource[any])(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource[any])(nil)
	_ resource.ResourceWithImportState    = (*Resource[any])(nil)
	_ resource.ResourceWithIdentity       = (*Resource[any])(nil)
	_ resource.ResourceWithUpgradeState   = (*Resource[any])(nil)
)

// Resource is the resource of a noun.
type Resource[M any] struct {
	noun    Noun[M]
	session *session.Session
}

// New returns the resource of a noun.
func New[M any](noun Noun[M]) *Resource[M] { return &Resource[M]{noun: noun} }

// Metadata returns the name of the resource type.
func (r *Resource[M]) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + r.noun.TypeName()
}

// Schema returns the schema of the resource.
func (r *Resource[M]) Schema(ctx context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = r.noun.Schema(ctx)
}

// IdentitySchema returns the schema of the identity.
func (r *Resource[M]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = r.noun.Identity().Schema()
}

// Configure receives the session from the provider.
func (r *Resource[M]) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// UpgradeState returns the upgraders for states of earlier versions of the schema.
func (r *Resource[M]) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	return r.noun.Upgraders(ctx)
}

// ValidateConfig validates what can be validated without a cluster.
func (r *Resource[M]) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	if !request.Config.Raw.IsFullyKnown() {
		return
	}
	m := get(ctx, r.noun, request.Config, &response.Diagnostics)
	if !response.Diagnostics.HasError() {
		r.noun.Validate(ctx, m, &response.Diagnostics)
	}
}

// ModifyPlan checks the plan and plans computed attributes.
func (r *Resource[M]) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	r.noun.Plan(ctx, &Plan[M]{Session: r.session, Request: request, Response: response, noun: r.noun})
}

// Create creates the object.
func (r *Resource[M]) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.apply(ctx, request.Plan, nil, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

// Update changes the object.
func (r *Resource[M]) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	prior := get(ctx, r.noun, request.State, &response.Diagnostics)
	r.apply(ctx, request.Plan, &prior, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

func (r *Resource[M]) apply(
	ctx context.Context, plan tfsdk.Plan, prior *M, memory private.State, state *tfsdk.State, identity *tfsdk.ResourceIdentity,
	diags *diag.Diagnostics,
) {
	m := get(ctx, r.noun, plan, diags)
	r.session.ReadyToWrite(diags)
	c := NewCall(ctx, r.session, memory, diags)
	if diags.HasError() {
		return
	}
	held, end, ok := r.hold(ctx, c, &m, prior, diags)
	defer end()
	if !ok {
		return
	}
	uid, written := r.noun.Apply(held, c, &m, prior, diags)
	if !written {
		return
	}
	ctx = context.WithoutCancel(ctx) // store what was written, even if the wait was interrupted
	private.Set(ctx, memory, private.UID, uid, diags)
	diags.Append(set(ctx, r.noun, state, m)...)
	r.noun.Identity().Set(ctx, identity, *state, diags)
}

// Read refreshes the object. It removes the object from the state only if the object is proven not to exist. The state remains unchanged if the object was
// replaced or something else manages it.
func (r *Resource[M]) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	diags := &response.Diagnostics
	m := get(ctx, r.noun, request.State, diags)
	r.noun.Identity().Set(ctx, response.Identity, request.State, diags)
	r.session.Ready(diags)
	c := NewCall(ctx, r.session, response.Private, diags)
	if diags.HasError() {
		return
	}
	uid, err := r.noun.Read(ctx, c, &m, diags)
	switch at, title := r.noun.Identity().At(), r.noun.Title(m); {
	case errors.Is(err, engine.ErrNotFound):
		response.State.RemoveResource(ctx)
	case report.Replaced(diags, at, title, err), report.ManagedElsewhere(diags, at, title, err):
	case err != nil:
		report.Error(diags, at, title+" could not be read", err)
	default:
		private.Set(ctx, response.Private, private.UID, uid, diags)
		diags.Append(set(ctx, r.noun, &response.State, m)...)
	}
}

// Delete deletes the object.
func (r *Resource[M]) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	diags := &response.Diagnostics
	m := get(ctx, r.noun, request.State, diags)
	r.session.ReadyToWrite(diags)
	c := NewCall(ctx, r.session, request.Private, diags)
	if diags.HasError() {
		return
	}
	held, end, ok := r.hold(ctx, c, nil, &m, diags)
	defer end()
	if !ok {
		return
	}
	if err := r.noun.Delete(held, c, m, diags); err != nil {
		report.Error(diags, r.noun.Identity().At(), r.noun.Title(m)+" could not be removed", err)
	}
}

// ImportState imports the object by its identity.
func (r *Resource[M]) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	r.noun.Identity().Import(ctx, request, response)
}
