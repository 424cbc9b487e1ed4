// Package hubobject is what resources share that are one object on a hub: how they are checked, planned, written, read, removed and imported. A
// noun adds its type, its schema and what an engine is asked.
package hubobject

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// Noun is what a resource is about. M is the resource as Terraform has it.
type Noun[M any] interface {
	// TypeName is the name of the type without that of the provider; Title names the object for people, as in `The budget "web"`.
	TypeName() string
	Title(m M) string
	Schema(ctx context.Context) schema.Schema
	Identity(m M) any
	IdentitySchema() identityschema.Schema
	Import(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse)
	// Unknown are the attributes that may be unknown while the rest is checked.
	Unknown() []string
	// Validate checks what needs no cluster. Everything is known.
	Validate(ctx context.Context, m M, diags *diag.Diagnostics)
	// Plan checks what needs the engine, or what the object was: prior is nil for a new one. Everything is known.
	Plan(ctx context.Context, fleet engine.Engine, m M, prior *M, diags *diag.Diagnostics)
	// Apply writes the object and puts into m what came of it. It returns false if nothing was written.
	Apply(ctx context.Context, fleet engine.Engine, m, prior *M, diags *diag.Diagnostics) (written bool)
	// Read puts the object into m as it is, or returns [engine.ErrNotFound].
	Read(ctx context.Context, fleet engine.Engine, m *M, diags *diag.Diagnostics) error
	Delete(ctx context.Context, fleet engine.Engine, m M) error
}

// Resource is the resource of a noun.
type Resource[M any] struct {
	noun    Noun[M]
	session *session.Session
}

// New makes the resource of a noun.
func New[M any](noun Noun[M]) *Resource[M] { return &Resource[M]{noun: noun} }

// Metadata names the resource.
func (r *Resource[M]) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + r.noun.TypeName()
}

// Schema describes the resource.
func (r *Resource[M]) Schema(ctx context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = r.noun.Schema(ctx)
}

// IdentitySchema says what identifies the object.
func (r *Resource[M]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = r.noun.IdentitySchema()
}

// Configure takes the session.
func (r *Resource[M]) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// source is a configuration, a plan or a state.
type source interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

func get[M any](ctx context.Context, from source, diags *diag.Diagnostics) M {
	var m M
	diags.Append(from.Get(ctx, &m)...)
	return m
}

// ValidateConfig checks what needs no cluster.
func (r *Resource[M]) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	convert.EmptyObjects(request.Config.Raw, &response.Diagnostics)
	m := get[M](ctx, request.Config, &response.Diagnostics)
	if !response.Diagnostics.HasError() && r.known(request.Config.Raw) {
		r.noun.Validate(ctx, m, &response.Diagnostics)
	}
}

func (r *Resource[M]) known(raw tftypes.Value) bool { return convert.Known(raw, r.noun.Unknown()...) }

// ModifyPlan refuses what the engine cannot express, and what cannot become of the object.
func (r *Resource[M]) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() || request.Plan.Raw.Equal(request.State.Raw) || r.session == nil || r.session.Engine == nil {
		return
	}
	m := get[M](ctx, request.Plan, &response.Diagnostics)
	var prior *M
	if !request.State.Raw.IsNull() {
		prior = new(get[M](ctx, request.State, &response.Diagnostics))
	}
	if !response.Diagnostics.HasError() && r.known(request.Plan.Raw) {
		r.noun.Plan(ctx, r.session.Engine, m, prior, &response.Diagnostics)
		response.Diagnostics = r.session.News(response.Diagnostics)
	}
}

// Create writes the object.
func (r *Resource[M]) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.apply(ctx, request.Plan, nil, &response.State, response.Identity, &response.Diagnostics)
}

// Update changes it.
func (r *Resource[M]) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	prior := get[M](ctx, request.State, &response.Diagnostics)
	r.apply(ctx, request.Plan, &prior, &response.State, response.Identity, &response.Diagnostics)
}

func (r *Resource[M]) apply(
	ctx context.Context, plan tfsdk.Plan, prior *M, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics,
) {
	m := get[M](ctx, plan, diags)
	fleet := r.session.ReadyToWrite(diags)
	if diags.HasError() || !r.noun.Apply(ctx, fleet, &m, prior, diags) {
		return
	}
	ctx = context.WithoutCancel(ctx) // what was written is kept, also if the wait was interrupted
	diags.Append(state.Set(ctx, m)...)
	diags.Append(identity.Set(ctx, r.noun.Identity(m))...)
}

// Read refreshes the object. Only a proven absence removes it from the state.
func (r *Resource[M]) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	m := get[M](ctx, request.State, &response.Diagnostics)
	response.Diagnostics.Append(response.Identity.Set(ctx, r.noun.Identity(m))...)
	fleet := r.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	err := r.noun.Read(ctx, fleet, &m, &response.Diagnostics)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		response.State.RemoveResource(ctx)
	case err != nil:
		report.Error(&response.Diagnostics, path.Root("name"), r.noun.Title(m)+" could not be read", err)
	default:
		response.Diagnostics.Append(response.State.Set(ctx, m)...)
	}
}

// Delete removes the object.
func (r *Resource[M]) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	m := get[M](ctx, request.State, &response.Diagnostics)
	fleet := r.session.ReadyToWrite(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	if err := r.noun.Delete(ctx, fleet, m); err != nil {
		report.Error(&response.Diagnostics, path.Root("name"), r.noun.Title(m)+" could not be removed", err)
	}
}

// ImportState takes what identifies the object.
func (r *Resource[M]) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	r.noun.Import(ctx, request, response)
}
