package workload

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
)

// Resource is the resource fleet_workload.
type Resource struct{ session *session.Session }

// New returns the resource.
func New() resource.Resource { return &Resource{} }

// Metadata returns the name of the resource type.
func (*Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_workload"
}

// Configure receives the session from the provider.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ValidateConfig rejects objects that can never be handed over, whatever the member has.
func (r *Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	var data resourceModel
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	data.validate(&response.Diagnostics)
}

// ModifyPlan copies the workload, so that the same plan previews the placement that uses the copy.
//
// Terraform plans a resource again right before the apply, and the second plan must have the known values of the first one. So the apply returns an error before it
// writes if the workload has changed since the first plan. A value that can differ without such a change must be unknown in the plan.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		var data resourceModel
		response.Diagnostics.Append(request.State.Get(ctx, &data)...)
		report.WorkloadRemovedFromState(&response.Diagnostics, data.request())
		response.Diagnostics = r.session.UnreportedDiagnostics(response.Diagnostics)
		return
	}
	if request.Plan.Raw.Equal(request.State.Raw) {
		return
	}
	var data resourceModel
	response.Diagnostics.Append(request.Plan.Get(ctx, &data)...)
	if response.Diagnostics.HasError() {
		return
	}
	data.Found = newUnknown()
	if r.canRead() && convert.Known(request.Config.Raw, "triggers") && !r.isReplaced(ctx, request, &response.Diagnostics) {
		data.Found = dropUncertain(r.readCopy(ctx, data.Model, &response.Diagnostics))
		response.Diagnostics = r.session.UnreportedDiagnostics(response.Diagnostics)
	}
	if !response.Diagnostics.HasError() {
		response.Diagnostics.Append(response.Plan.Set(ctx, data)...)
	}
}

// canRead reports whether a plan can read members. It returns false if the preview is off.
func (r *Resource) canRead() bool {
	return r.session != nil && r.session.Workloads != nil && r.session.Preview != session.PreviewOff
}

// isReplaced reports whether the plan names another workload than the state, so that Terraform replaces the resource. Terraform plans the replacement
// separately.
func (r *Resource) isReplaced(ctx context.Context, request resource.ModifyPlanRequest, diags *diag.Diagnostics) bool {
	if request.State.Raw.IsNull() {
		return false
	}
	var prior, next resourceModel
	diags.Append(request.State.Get(ctx, &prior)...)
	diags.Append(request.Plan.Get(ctx, &next)...)
	return prior.OnMember != next.OnMember
}

// readCopy reads the workload. If the workload does not exist or cannot be placed, readCopy adds an error and returns unknown values.
func (r *Resource) readCopy(ctx context.Context, data Model, diags *diag.Diagnostics) Found {
	found, exists := readWorkload(ctx, r.session, data, diags)
	if !exists {
		report.NoWorkload(diags, data.request())
	}
	if found == nil {
		return newUnknown()
	}
	if reason := found.Objects[0].LeftOut; reason != "" {
		report.Unfit(diags, path.Root("name"), data.request(), reason)
		return newUnknown()
	}
	return flatten(ctx, found, diags)
}

// Create stores the planned copy, and reads values that were unknown in the plan.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.store(ctx, request.Plan, &response.State, response.Identity, &response.Diagnostics)
}

// Update does the same as Create, for another copy.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	r.store(ctx, request.Plan, &response.State, response.Identity, &response.Diagnostics)
}

func (r *Resource) store(ctx context.Context, plan tfsdk.Plan, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	var data resourceModel
	diags.Append(plan.Get(ctx, &data)...)
	if r.session.ReadyToWrite(diags); diags.HasError() {
		return
	}
	if planned := data.Found; planned.hasUnknown() {
		if data.Found = r.readCopy(ctx, data.Model, diags); diags.HasError() {
			return
		}
		if !planned.Manifests.IsUnknown() {
			data.Manifests, data.Objects = planned.Manifests, planned.Objects
		}
	}
	diags.Append(state.Set(ctx, data)...)
	diags.Append(identity.Set(ctx, data.OnMember)...)
}

// Read keeps the copy unchanged, whatever happens to the workload: the placement that uses the copy defines the workload. For an imported workload, which has
// no copy yet, Read makes a copy.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var data resourceModel
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	response.Diagnostics.Append(response.Identity.Set(ctx, data.OnMember)...)
	if response.Diagnostics.HasError() || !data.Manifests.IsNull() {
		return
	}
	if r.session.Ready(&response.Diagnostics); response.Diagnostics.HasError() {
		return
	}
	found, exists := readWorkload(ctx, r.session, data.Model, &response.Diagnostics)
	if !exists {
		response.State.RemoveResource(ctx)
		return
	}
	if found == nil {
		return
	}
	data.Found = flatten(ctx, found, &response.Diagnostics)
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
}

// Delete deletes only the copy: the framework removes it from the state.
func (r *Resource) Delete(_ context.Context, _ resource.DeleteRequest, response *resource.DeleteResponse) {
	r.session.ReadyToWrite(&response.Diagnostics)
}
