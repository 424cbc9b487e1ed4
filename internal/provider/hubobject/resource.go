// Package hubobject contains what resources for a single object on a hub share: how they are validated, planned, written, read, removed and imported.
// A noun adds the name of its type, its schema, and the engine's operations.
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

// Noun is the subject of a resource. M is the Terraform representation of the resource.
type Noun[M any] interface {
	// TypeName returns the name of the resource type without the provider's prefix. Title names the object for people, as in `The budget "web"`.
	TypeName() string
	Title(m M) string
	// At returns the path of the attribute with the name of the object.
	At() path.Path
	Schema(ctx context.Context) schema.Schema
	// Upgraders upgrade states of earlier versions of the schema.
	Upgraders(ctx context.Context) map[int64]resource.StateUpgrader
	Identity(m M) any
	IdentitySchema() identityschema.Schema
	Import(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse)
	// Ours returns the arguments that are not sent to the hub. If only these change, an apply writes nothing.
	Ours() []string
	// Spent reports whether the object can no longer reach the desired state, so that a new object must replace it.
	Spent(prior M) bool
	// Validate validates what can be validated without a cluster. Everything is known.
	Validate(ctx context.Context, m M, diags *diag.Diagnostics)
	// Check returns the reasons why the engine does not support such objects. Served checks whether the hub serves them.
	Check(fleet engine.Engine) []engine.Limitation
	Served(ctx context.Context, fleet engine.Engine, m M) error
	// Plan runs the checks that need the engine, the rest of the plan or the prior object. prior is nil for a create. Everything is known.
	Plan(ctx context.Context, shared *session.Session, m M, prior *M, diags *diag.Diagnostics)
	// Apply writes the object, stores the result in m, and returns the object's UID. It returns false if nothing was written. In Apply, Read and
	// Delete, uid is the UID of the known object, or "" if it is unknown. If another object has the name, the error is an *[engine.ReplacedError].
	Apply(ctx context.Context, fleet engine.Engine, m, prior *M, uid string, diags *diag.Diagnostics) (stored string, written bool)
	// Read stores the live object in m and returns its UID. It returns [engine.ErrNotFound] if there is no object.
	Read(ctx context.Context, fleet engine.Engine, m *M, uid string, diags *diag.Diagnostics) (stored string, err error)
	Delete(ctx context.Context, fleet engine.Engine, m M, uid string) error
}

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
	response.IdentitySchema = r.noun.IdentitySchema()
}

// Configure receives the session from the provider.
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

// UpgradeState returns the upgraders for states of earlier versions of the schema.
func (r *Resource[M]) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	return r.noun.Upgraders(ctx)
}

// ValidateConfig validates what can be validated without a cluster.
func (r *Resource[M]) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	m := get[M](ctx, request.Config, &response.Diagnostics)
	if !response.Diagnostics.HasError() && r.isKnown(request.Config.Raw) {
		r.noun.Validate(ctx, m, &response.Diagnostics)
	}
}

// status is the attribute with the status that the hub reports. Not every noun has it.
const status = "status"

func (r *Resource[M]) isKnown(raw tftypes.Value) bool {
	return convert.Known(raw, append(r.noun.Ours(), status)...)
}

// isLocalChange reports whether only arguments differ that are not sent to the hub.
func (r *Resource[M]) isLocalChange(before, after tftypes.Value) bool {
	return !before.IsNull() && !convert.Differs(before, after, append(r.noun.Ours(), status)...)
}

// ModifyPlan adds errors for objects that the engine cannot express or its hub does not serve, and for changes that the object does not allow.
func (r *Resource[M]) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		return
	}
	if !request.State.Raw.IsNull() && r.noun.Spent(get[M](ctx, request.State, &response.Diagnostics)) {
		response.RequiresReplace.Append(path.Root(status))
		unknown := convert.UnknownObject(request.Plan.Schema.GetAttributes()[status])
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root(status), unknown)...)
		return // Terraform plans the replacement
	}
	if request.Plan.Raw.Equal(request.State.Raw) {
		return
	}
	if _, has := request.Plan.Schema.GetAttributes()[status]; has && r.isLocalChange(request.State.Raw, request.Plan.Raw) {
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
	if response.Diagnostics.HasError() || !r.isKnown(request.Plan.Raw) {
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

// Create creates the object.
func (r *Resource[M]) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.apply(ctx, request.Plan, nil, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

// Update changes the object.
func (r *Resource[M]) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	if r.isLocalChange(request.State.Raw, request.Plan.Raw) {
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
	ctx = context.WithoutCancel(ctx) // store what was written, even if the wait was interrupted
	private.Keep(ctx, memory, private.UID, stored, diags)
	diags.Append(state.Set(ctx, m)...)
	diags.Append(identity.Set(ctx, r.noun.Identity(m))...)
}

// Read refreshes the object. It removes the object from the state only if the object is proven not to exist.
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

// ImportState imports the object by its identity.
func (r *Resource[M]) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	r.noun.Import(ctx, request, response)
}
