// Package membercluster implements the resource fleet_member_cluster.
package membercluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/consequences"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
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

// Resource is the resource fleet_member_cluster.
type Resource struct{ session *session.Session }

// New returns the resource.
func New() resource.Resource { return &Resource{} }

// Metadata returns the name of the resource type.
func (*Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_member_cluster"
}

// UpgradeState returns the upgrader for states from before the status was a summary.
func (*Resource) UpgradeState(ctx context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: convert.Without("status", resourceSchema(ctx))}
}

// IdentitySchema returns the schema of the identity.
func (*Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = identity.NamedSchema("member")
}

// Configure receives the session from the provider.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ValidateConfig validates what can be validated without a cluster.
func (r *Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	if !request.Config.Raw.IsFullyKnown() {
		return
	}
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if response.Diagnostics.HasError() {
		return
	}
	for _, problem := range member.Validate(data.expand(ctx, &response.Diagnostics)) {
		at, where := path.Root(problem.Attribute), ""
		if problem.Index >= 0 && problem.Key == "" {
			where = fmt.Sprintf("%s[%d]: ", problem.Attribute, problem.Index) // Terraform shows only the first step of a path
		}
		if problem.Warning {
			response.Diagnostics.AddAttributeWarning(at, "Likely mistake in "+problem.Attribute, where+problem.Message)
			continue
		}
		response.Diagnostics.AddAttributeError(at, "Invalid member cluster", where+problem.Message)
	}
}

// ModifyPlan reports the arguments that the engine does not support, and records the planned member in the session.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if r.rejectClash(ctx, request, &response.Diagnostics) {
		return
	}
	r.recordPlan(ctx, request.State, response.Plan, response.Private, &response.Diagnostics)
	keepStatus(ctx, request, response)
	r.planAgent(ctx, response)
	if r.session == nil || r.session.Engine == nil {
		return
	}
	if request.Plan.Raw.IsNull() || request.Plan.Raw.Equal(request.State.Raw) {
		r.warnUnconnected(ctx, request.State, request.Plan.Raw.IsNull(), &response.Diagnostics)
		r.warnUnreachable(ctx, request, &response.Diagnostics)
		warnReleased(ctx, request.State, request.Plan.Raw.IsNull(), &response.Diagnostics)
		return
	}
	var data model
	response.Diagnostics.Append(request.Plan.Get(ctx, &data)...)
	if response.Diagnostics.HasError() {
		return
	}
	report.Limitations(&response.Diagnostics, r.session.Engine.CheckMember(data.expandPartial()))
	if r.session.Preview != session.PreviewOff {
		if refused, ok := errors.AsType[*engine.LimitationError](r.session.Engine.ServesMember(ctx, data.expandPartial())); ok {
			report.Limitations(&response.Diagnostics, []engine.Limitation{refused.Limitation})
		}
	}
	r.warnOverwritten(ctx, request.State, response.Plan, data, &response.Diagnostics)
	if request.State.Raw.IsNull() {
		r.rejectRegistered(ctx, data, &response.Diagnostics)
	} else {
		r.session.ManageMember(data.Name.ValueString())
		rejectRegistration(ctx, request.State, data, &response.Diagnostics)
	}
	response.Diagnostics = r.session.News(response.Diagnostics)
}

// rejectClash adds an error if another resource of the run plans the member as well. It reports whether it added one.
func (r *Resource) rejectClash(ctx context.Context, request resource.ModifyPlanRequest, diags *diag.Diagnostics) bool {
	if r.session == nil || request.Plan.Raw.IsNull() {
		return false
	}
	var name types.String
	diags.Append(request.Plan.GetAttribute(ctx, path.Root("name"), &name)...)
	if name.IsUnknown() || r.session.IsOnlyMember(name.ValueString(), request.Config.Raw, !request.State.Raw.IsNull()) {
		return false
	}
	diags.AddAttributeError(path.Root("name"), "Two resources for one member", "Another resource of this configuration plans the member "+name.String()+
		" as well: each would undo what the other writes. Remove one of them, or give it another name.")
	return true
}

// rejectRegistered adds an error if a new member is registered already. A replaced resource is planned as new, while its member still exists until
// the replacement; that member is no error. If the member cannot be read, the apply runs the same check.
func (r *Resource) rejectRegistered(ctx context.Context, data model, diags *diag.Diagnostics) {
	name := data.Name.ValueString()
	if data.Name.IsUnknown() || r.session.Applies() || r.session.Preview == session.PreviewOff || r.session.ManagesMember(name) {
		return
	}
	_, err := r.session.Engine.ReadMember(ctx, name, nil)
	if data.AdoptExisting.ValueBool() {
		if errors.Is(err, engine.ErrNotFound) {
			report.NothingToAdopt(diags, name)
		}
		return
	}
	if err == nil && !data.AdoptExisting.IsUnknown() {
		exists := engine.MemberExists(name)
		exists.Adoptable = len(r.session.Engine.CheckMember(member.Spec{Name: name, AdoptExisting: new(true)})) == 0
		report.Error(diags, path.Root("name"), "The member cluster "+data.Name.String()+" cannot be registered", exists)
	}
}

// Create registers the member.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.apply(ctx, request.Plan, nil, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

// Update changes the registration.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	var prior model
	response.Diagnostics.Append(request.State.Get(ctx, &prior)...)
	r.apply(ctx, request.Plan, &prior, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

// apply registers the member, or changes the registration if there is a prior one.
func (r *Resource) apply(
	ctx context.Context, plan tfsdk.Plan, prior *model, memory private.State, state *tfsdk.State, identity *tfsdk.ResourceIdentity,
	diags *diag.Diagnostics,
) {
	var data model
	diags.Append(plan.Get(ctx, &data)...)
	fleet := r.session.ReadyToWrite(diags)
	if diags.HasError() {
		return
	}
	done := "registered"
	var before *engine.Member
	want := engine.Member{ID: string(uuid.NewUUID()), Spec: data.expand(ctx, diags)}
	if prior != nil {
		done, before = "changed", new(prior.expandMember(ctx, memory, diags))
		want.ID = cmp.Or(before.ID, want.ID)
	}
	defer r.session.MemberApplied(data.Name.ValueString())
	end, ok := r.holdToPlan(ctx, data, before, memory, diags)
	defer end()
	if !ok {
		return
	}
	ctx = engine.WithWritten(ctx, end) // a registration waits until the member has joined
	applied, err := fleet.ApplyMember(ctx, want, before)
	if err != nil {
		report.Error(diags, path.Root("name"), "The member cluster "+data.Name.String()+" could not be "+done, err)
		return
	}
	report.ReachedOtherwise(diags, data.Name.ValueString(), applied.Warning)
	data.Agent = r.expandAgent(ctx, data, diags)
	if !isPlanned(data.Status) {
		data.Status = flattenStatus(ctx, applied.Status, diags)
	}
	private.Keep(ctx, memory, private.ID, applied.ID, diags)
	private.Keep(ctx, memory, private.UID, applied.UID, diags)
	diags.Append(state.Set(ctx, data)...)
	diags.Append(identity.Set(ctx, data.identity())...)
}

// holdToPlan reports whether the hub does with placements what the plan shows once the member is written.
func (r *Resource) holdToPlan(
	ctx context.Context, data model, before *engine.Member, memory private.State, diags *diag.Diagnostics,
) (end func(), ok bool) {
	var was *member.Spec
	if before != nil {
		was = &before.Spec
	}
	name := data.Name.ValueString()
	world := engine.World{Members: map[string]engine.Planned[member.Spec]{name: data.expandPlanned(ctx, was, diags)}}
	return consequences.Change{What: "member " + name, World: world}.Hold(ctx, r.session, before == nil, memory, diags)
}

// Read refreshes the member. It removes the member from the state only if the member is proven not to exist. The state of an unreachable member keeps
// the known values.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var data model
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	response.Diagnostics.Append(response.Identity.Set(ctx, data.identity())...)
	fleet := r.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	read, err := fleet.ReadMember(ctx, data.Name.ValueString(), data.expandPrior(ctx, request.Private, &response.Diagnostics))
	switch {
	case errors.Is(err, engine.ErrNotFound):
		response.State.RemoveResource(ctx)
		return
	case isUnreachable(err) && !data.Status.IsNull():
		data.Status = unreachableStatus(ctx, data.Status, &response.Diagnostics)
		if !isUnconnected(err) { // otherwise the plan reports the consequences
			report.MemberUnread(&response.Diagnostics, data.Name.ValueString(), err, r.session.First)
		}
	case report.Replaced(&response.Diagnostics, path.Root("name"), "The member cluster "+data.Name.String(), err):
	case report.ManagedElsewhere(&response.Diagnostics, path.Root("name"), "The member cluster "+data.Name.String(), err):
	case err != nil:
		report.Error(&response.Diagnostics, path.Root("name"), "The member cluster "+data.Name.String()+" could not be read", err)
		return
	default:
		r.session.ManageMember(data.Name.ValueString())
		if read.ID != "" {
			private.Keep(ctx, response.Private, private.ID, read.ID, &response.Diagnostics)
		}
		private.Keep(ctx, response.Private, private.UID, read.UID, &response.Diagnostics)
		report.ReachedOtherwise(&response.Diagnostics, data.Name.ValueString(), read.Warning)
		written := data
		data = flatten(ctx, read.Spec, &response.Diagnostics)
		data.Timeouts = written.Timeouts
		data.Labels = convert.AsWritten(ctx, data.Labels, written.Labels)
		data.Annotations = convert.AsWritten(ctx, data.Annotations, written.Annotations)
		data.Taints = convert.AsWritten(ctx, data.Taints, written.Taints)
		data.Status = flattenStatus(ctx, read.Status, &response.Diagnostics)
		data.Agent = r.expandAgent(ctx, data, &response.Diagnostics)
	}
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
}

// defaultDeleteTimeout is the default timeout of a destroy. By default, a hub removes a member that has not left after 15 minutes.
const defaultDeleteTimeout = 20 * time.Minute

// Delete ends the membership.
func (r *Resource) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	var data model
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	fleet := r.session.ReadyToWrite(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	defer r.session.MemberApplied(data.Name.ValueString())
	prior := data.expandMember(ctx, request.Private, &response.Diagnostics)
	change := consequences.Change{What: "member " + prior.Spec.Name, Removal: worldWithout(prior.Spec)}
	end, ok := change.Hold(ctx, r.session, false, request.Private, &response.Diagnostics)
	defer end()
	if !ok {
		return
	}
	ctx = engine.WithWritten(ctx, end) // a removal waits for the member's agent
	limit, diags := data.Timeouts.Delete(ctx, defaultDeleteTimeout)
	response.Diagnostics.Append(diags...)
	deleteCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch err := fleet.DeleteMember(deleteCtx, prior); {
	case err == nil:
	case canForget(prior.Spec, err):
		report.ForgottenMember(&response.Diagnostics, prior.Spec.Name, err)
	default:
		report.Error(&response.Diagnostics, path.Root("name"), "The membership of "+data.Name.String()+" could not be ended", err)
	}
}

// ImportState imports a member by its name.
func (r *Resource) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	identity.ImportNamed(ctx, request, response)
}
