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
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// Noun is what a resource is about. M is the resource as Terraform has it.
type Noun[M any] interface {
	// TypeName is the name of the type without that of the provider; Title names the object for people, as in `The budget "web"`.
	TypeName() string
	Title(m M) string
	// At leads to the attribute with the name of the object.
	At() path.Path
	Schema(ctx context.Context) schema.Schema
	// Upgraders read states of earlier versions of the schema.
	Upgraders(ctx context.Context) map[int64]resource.StateUpgrader
	Identity(m M) any
	IdentitySchema() identityschema.Schema
	Import(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse)
	// Ours are the arguments that the hub is not told of. A change of these alone writes nothing.
	Ours() []string
	// Spent tells whether the object cannot become what it is to be any more, so that another one takes its place.
	Spent(prior M) bool
	// Validate checks what needs no cluster. Everything is known.
	Validate(ctx context.Context, m M, diags *diag.Diagnostics)
	// Check tells why the engine has no such objects; Served asks the hub whether it has.
	Check(fleet engine.Engine) []engine.Limitation
	Served(ctx context.Context, fleet engine.Engine, m M) error
	// Plan checks what needs more of the engine or of the rest of the plan, or what the object was: prior is nil for a new one. Everything is known.
	Plan(ctx context.Context, shared *session.Session, m M, prior *M, diags *diag.Diagnostics)
	// Apply writes the object, puts the result into m, and returns the object's UID. It returns false if nothing was written. In Apply, Read and Delete,
	// uid is that of the known object, "" if it is not known. If another object has the name, the error is an *[engine.ReplacedError].
	Apply(ctx context.Context, fleet engine.Engine, m, prior *M, uid string, diags *diag.Diagnostics) (stored string, written bool)
	// Read puts the live object into m and returns its UID, or returns [engine.ErrNotFound].
	Read(ctx context.Context, fleet engine.Engine, m *M, uid string, diags *diag.Diagnostics) (stored string, err error)
	Delete(ctx context.Context, fleet engine.Engine, m M, uid string) error
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

// UpgradeState reads states of earlier versions of the schema.
func (r *Resource[M]) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	return r.noun.Upgraders(ctx)
}

// ValidateConfig checks what needs no cluster.
func (r *Resource[M]) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	m := get[M](ctx, request.Config, &response.Diagnostics)
	if !response.Diagnostics.HasError() && r.known(request.Config.Raw) {
		r.noun.Validate(ctx, m, &response.Diagnostics)
	}
}

// status is the attribute that tells what the hub says of the object, if there is one.
const status = "status"

func (r *Resource[M]) known(raw tftypes.Value) bool {
	return convert.Known(raw, append(r.noun.Ours(), status)...)
}

// onlyOurs tells whether a change is of nothing that the hub is told of.
func (r *Resource[M]) onlyOurs(before, after tftypes.Value) bool {
	return !before.IsNull() && !convert.Differs(before, after, append(r.noun.Ours(), status)...)
}

// ModifyPlan refuses what the engine cannot express or its hub does not have, and what cannot become of the object.
func (r *Resource[M]) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		return
	}
	if !request.State.Raw.IsNull() && r.noun.Spent(get[M](ctx, request.State, &response.Diagnostics)) {
		response.RequiresReplace.Append(path.Root(status))
		unknown := convert.UnknownObject(request.Plan.Schema.GetAttributes()[status])
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root(status), unknown)...)
		return // Terraform plans the new one by itself
	}
	if request.Plan.Raw.Equal(request.State.Raw) {
		return
	}
	if _, has := request.Plan.Schema.GetAttributes()[status]; has && r.onlyOurs(request.State.Raw, request.Plan.Raw) {
		var was types.Object
		response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root(status), &was)...)
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root(status), was)...)
		return
	}
	if r.session == nil || r.session.Engine == nil {
		return
	}
	m := get[M](ctx, request.Plan, &response.Diagnostics)
	var prior *M
	if !request.State.Raw.IsNull() {
		prior = new(get[M](ctx, request.State, &response.Diagnostics))
	}
	if response.Diagnostics.HasError() || !r.known(request.Plan.Raw) {
		return
	}
	r.check(ctx, m, prior, &response.Diagnostics)
	response.Diagnostics = r.session.News(response.Diagnostics)
}

func (r *Resource[M]) check(ctx context.Context, m M, prior *M, diags *diag.Diagnostics) {
	fleet := r.session.Engine
	report.Limitations(diags, r.noun.Check(fleet))
	if !diags.HasError() && r.session.Preview != session.PreviewOff {
		report.Served(diags, r.noun.At(), r.noun.Title(m)+" cannot be on this hub", r.noun.Served(ctx, fleet, m))
	}
	if !diags.HasError() {
		r.noun.Plan(ctx, r.session, m, prior, diags)
	}
}

// Create writes the object.
func (r *Resource[M]) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.apply(ctx, request.Plan, nil, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

// Update changes it.
func (r *Resource[M]) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	if r.onlyOurs(request.State.Raw, request.Plan.Raw) {
		response.State.Raw = request.Plan.Raw
		return
	}
	prior := get[M](ctx, request.State, &response.Diagnostics)
	r.apply(ctx, request.Plan, &prior, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

func (r *Resource[M]) apply(
	ctx context.Context, plan tfsdk.Plan, prior *M, memory private.State, state *tfsdk.State, identity *tfsdk.ResourceIdentity,
	diags *diag.Diagnostics,
) {
	m := get[M](ctx, plan, diags)
	fleet := r.session.ReadyToWrite(diags)
	var uid string
	private.Recall(ctx, memory, private.UID, &uid, diags)
	if diags.HasError() {
		return
	}
	stored, written := r.noun.Apply(ctx, fleet, &m, prior, uid, diags)
	if !written {
		return
	}
	ctx = context.WithoutCancel(ctx) // what was written is kept, also if the wait was interrupted
	private.Keep(ctx, memory, private.UID, stored, diags)
	diags.Append(state.Set(ctx, m)...)
	diags.Append(identity.Set(ctx, r.noun.Identity(m))...)
}

// Read refreshes the object. Only a proven absence removes it from the state.
func (r *Resource[M]) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	m := get[M](ctx, request.State, &response.Diagnostics)
	response.Diagnostics.Append(response.Identity.Set(ctx, r.noun.Identity(m))...)
	fleet := r.session.Ready(&response.Diagnostics)
	var uid string
	private.Recall(ctx, request.Private, private.UID, &uid, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	stored, err := r.noun.Read(ctx, fleet, &m, uid, &response.Diagnostics)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		response.State.RemoveResource(ctx)
	case report.Replaced(&response.Diagnostics, r.noun.At(), r.noun.Title(m), err):
	case err != nil:
		report.Error(&response.Diagnostics, r.noun.At(), r.noun.Title(m)+" could not be read", err)
	default:
		private.Keep(ctx, response.Private, private.UID, stored, &response.Diagnostics)
		response.Diagnostics.Append(response.State.Set(ctx, m)...)
	}
}

// Delete removes the object.
func (r *Resource[M]) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	m := get[M](ctx, request.State, &response.Diagnostics)
	fleet := r.session.ReadyToWrite(&response.Diagnostics)
	var uid string
	private.Recall(ctx, request.Private, private.UID, &uid, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	if err := r.noun.Delete(ctx, fleet, m, uid); err != nil {
		report.Error(&response.Diagnostics, r.noun.At(), r.noun.Title(m)+" could not be removed", err)
	}
}

// ImportState takes what identifies the object.
func (r *Resource[M]) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	r.noun.Import(ctx, request, response)
}
