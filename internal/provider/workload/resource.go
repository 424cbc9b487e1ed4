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

// New makes the resource.
func New() resource.Resource { return &Resource{} }

// Metadata names the resource.
func (*Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_workload"
}

// Configure takes the session.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ValidateConfig rejects what cannot be handed over, whatever is on the member.
func (r *Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	var data resourceModel
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	data.validate(&response.Diagnostics)
}

// ModifyPlan takes the copy, so that what places it is previewed in the same plan.
//
// Terraform plans a resource once more right before it applies it, and holds the second plan to what the first one knew. So a workload that has changed
// meanwhile ends the apply before anything is written, and nothing may be known in a plan that a cluster answers one way or the other.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		var data resourceModel
		response.Diagnostics.Append(request.State.Get(ctx, &data)...)
		report.Forgotten(&response.Diagnostics, data.request())
		response.Diagnostics = r.session.News(response.Diagnostics)
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
	data.Found = unread()
	if r.canRead() && convert.Known(request.Config.Raw, "triggers") && !r.replaced(ctx, request, &response.Diagnostics) {
		data.Found = plannable(r.copied(ctx, data.Model, &response.Diagnostics))
		response.Diagnostics = r.session.News(response.Diagnostics)
	}
	if !response.Diagnostics.HasError() {
		response.Diagnostics.Append(response.Plan.Set(ctx, data)...)
	}
}

// canRead tells whether a plan can look at members, and is to.
func (r *Resource) canRead() bool {
	return r.session != nil && r.session.Workloads != nil && r.session.Preview != session.PreviewOff
}

// replaced tells whether another workload is meant than the state has: Terraform plans that one by itself.
func (r *Resource) replaced(ctx context.Context, request resource.ModifyPlanRequest, diags *diag.Diagnostics) bool {
	if request.State.Raw.IsNull() {
		return false
	}
	var prior, next resourceModel
	diags.Append(request.State.Get(ctx, &prior)...)
	diags.Append(request.Plan.Get(ctx, &next)...)
	return prior.Identity != next.Identity
}

// copied reads the workload; what stands in the way is an error.
func (r *Resource) copied(ctx context.Context, data Model, diags *diag.Diagnostics) Found {
	found, exists := reading(ctx, r.session, data, diags)
	if !exists {
		report.NoWorkload(diags, data.request())
	}
	if found == nil {
		return unread()
	}
	if reason := found.Objects[0].LeftOut; reason != "" {
		report.Unfit(diags, path.Root("name"), data.request(), reason)
		return unread()
	}
	return flatten(ctx, found, diags)
}

// Create keeps what was planned, and reads what was not.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.keep(ctx, request.Plan, &response.State, response.Identity, &response.Diagnostics)
}

// Update does the same with another copy.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	r.keep(ctx, request.Plan, &response.State, response.Identity, &response.Diagnostics)
}

func (r *Resource) keep(ctx context.Context, plan tfsdk.Plan, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	var data resourceModel
	diags.Append(plan.Get(ctx, &data)...)
	if r.session.ReadyToWrite(diags); diags.HasError() {
		return
	}
	if planned := data.Found; planned.open() {
		if data.Found = r.copied(ctx, data.Model, diags); diags.HasError() {
			return
		}
		if !planned.Manifests.IsUnknown() {
			data.Manifests, data.Objects = planned.Manifests, planned.Objects
		}
	}
	diags.Append(state.Set(ctx, data)...)
	diags.Append(identity.Set(ctx, data.Identity)...)
}

// Read keeps the copy as it is, whatever has become of the workload: the placement that has it says how the workload is to be. One that is imported
// has no copy yet.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var data resourceModel
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	response.Diagnostics.Append(response.Identity.Set(ctx, data.Identity)...)
	if response.Diagnostics.HasError() || !data.Manifests.IsNull() {
		return
	}
	if r.session.Ready(&response.Diagnostics); response.Diagnostics.HasError() {
		return
	}
	found, exists := reading(ctx, r.session, data.Model, &response.Diagnostics)
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

// Delete forgets the copy. The framework takes it out of the state.
func (r *Resource) Delete(_ context.Context, _ resource.DeleteRequest, response *resource.DeleteResponse) {
	r.session.ReadyToWrite(&response.Diagnostics)
}
