// Package crp is the resource fleet_crp.
package crp

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
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

// defaultTimeout is how long an operation may take.
const defaultTimeout = 10 * time.Minute

// Resource is fleet_crp.
type Resource struct{ session *session.Session }

// New makes the resource.
func New() resource.Resource { return &Resource{} }

// Metadata names the resource.
func (*Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_crp"
}

// IdentitySchema says what identifies a placement.
func (*Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the placement."},
	}}
}

type identity struct {
	Name types.String `tfsdk:"name"`
}

// Configure takes the session.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ValidateConfig checks what needs no cluster.
func (r *Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if response.Diagnostics.HasError() || !data.known(ctx) {
		return
	}
	validateConfig(ctx, data, &response.Diagnostics)
}

// Create places the objects.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	var data model
	response.Diagnostics.Append(request.Plan.Get(ctx, &data)...)
	fleet := r.session.Ready(&response.Diagnostics)
	timeout, d := data.Timeouts.Create(ctx, defaultTimeout)
	response.Diagnostics.Append(d...)
	if response.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	spec, manifests := data.expand(ctx, &response.Diagnostics)
	untilAvailable, onFailure := data.wait(ctx, &response.Diagnostics)
	expected := r.expected(ctx, data.Name.ValueString(), request.Config, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	result, err := fleet.ApplyPlacement(ctx, engine.PlacementRequest{
		Name: data.Name.ValueString(), Spec: spec, Manifests: manifests, Create: true, WaitUntilAvailable: untilAvailable, Expected: expected,
		Progress: func(message string, fields map[string]any) { tflog.Info(ctx, message, fields) },
	})
	if result == nil {
		report.Error(&response.Diagnostics, path.Root("name"), "The placement "+data.Name.String()+" could not be created", err)
		return
	}
	ctx = context.WithoutCancel(ctx)
	data.setStatus(ctx, result.Status, &response.Diagnostics)
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
	response.Diagnostics.Append(response.Identity.Set(ctx, identity{Name: data.Name})...)
	if onFailure == "" {
		// An error would taint the placement, and the next apply would remove the workload from every healthy cluster.
		onFailure = "warn"
	}
	report.Outcome(&response.Diagnostics, data.Name.ValueString(), result, err, onFailure, data.OnTakeoverConflict.ValueString())
}

// Read refreshes the placement. Only a proven absence removes it from the state.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var data model
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	fleet := r.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	spec, manifests := data.expand(ctx, &response.Diagnostics)
	recorded, err := fleet.ReadPlacement(ctx, engine.PlacementRequest{
		Name: data.Name.ValueString(), Spec: spec, Manifests: manifests, Prior: data.status(ctx, &response.Diagnostics),
	})
	if errors.Is(err, engine.ErrNotFound) {
		response.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		report.Error(&response.Diagnostics, path.Root("name"), "The placement "+data.Name.String()+" could not be read", err)
		return
	}
	if recorded.Warning != "" {
		response.Diagnostics.AddAttributeWarning(path.Root("name"), "The status of placement "+data.Name.String()+" could not be refreshed",
			recorded.Warning)
	}
	// What the user wrote stays as it is written while it means what is recorded.
	if !engine.SamePlacement(spec, manifests, recorded.Spec, recorded.Manifests) {
		data.setSpec(ctx, recorded.Spec, recorded.Manifests, &response.Diagnostics)
	}
	data.setStatus(ctx, recorded.Status, &response.Diagnostics)
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
	response.Diagnostics.Append(response.Identity.Set(ctx, identity{Name: data.Name})...)
}

// Update makes the placement what the plan says, or goes on with one that was not completed.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	var data, prior model
	response.Diagnostics.Append(request.Plan.Get(ctx, &data)...)
	response.Diagnostics.Append(request.State.Get(ctx, &prior)...)
	fleet := r.session.Ready(&response.Diagnostics)
	timeout, d := data.Timeouts.Update(ctx, defaultTimeout)
	response.Diagnostics.Append(d...)
	if response.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	spec, manifests := data.expand(ctx, &response.Diagnostics)
	untilAvailable, onFailure := data.wait(ctx, &response.Diagnostics)
	expected := r.expected(ctx, data.Name.ValueString(), request.Config, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	result, err := fleet.ApplyPlacement(ctx, engine.PlacementRequest{
		Name: data.Name.ValueString(), Spec: spec, Manifests: manifests, WaitUntilAvailable: untilAvailable, Expected: expected,
		Progress: func(message string, fields map[string]any) { tflog.Info(ctx, message, fields) },
		Prior:    prior.status(ctx, &response.Diagnostics),
	})
	if result == nil {
		report.Error(&response.Diagnostics, path.Root("name"), "The placement "+data.Name.String()+" could not be changed", err)
		return
	}
	ctx = context.WithoutCancel(ctx)
	data.setStatus(ctx, result.Status, &response.Diagnostics)
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
	response.Diagnostics.Append(response.Identity.Set(ctx, identity{Name: data.Name})...)
	if onFailure == "" {
		onFailure = "error"
	}
	report.Outcome(&response.Diagnostics, data.Name.ValueString(), result, err, onFailure, data.OnTakeoverConflict.ValueString())
}

// Delete removes what the placement created and gives up what it took over.
func (r *Resource) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	var data model
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	fleet := r.session.Ready(&response.Diagnostics)
	timeout, d := data.Timeouts.Delete(ctx, defaultTimeout)
	response.Diagnostics.Append(d...)
	if response.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	spec, manifests := data.expand(ctx, &response.Diagnostics)
	prior := data.status(ctx, &response.Diagnostics)
	if prior == nil {
		prior = &placement.Status{}
	}
	result, err := fleet.DeletePlacement(ctx, engine.PlacementRequest{
		Name: data.Name.ValueString(), Spec: spec, Manifests: manifests, Prior: prior,
	})
	if result != nil {
		for _, warning := range result.Warnings {
			response.Diagnostics.AddWarning("Placement "+data.Name.String()+": objects were left behind", warning)
		}
	}
	if err != nil {
		report.Error(&response.Diagnostics, path.Root("name"), "The placement "+data.Name.String()+" could not be removed completely", err)
	}
}

// ImportState takes the placement's name.
func (r *Resource) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("name"), path.Root("name"), request, response)
}

func validateConfig(ctx context.Context, data model, diags *diag.Diagnostics) {
	spec, manifests := data.expand(ctx, diags)
	if diags.HasError() {
		return
	}
	if len(spec.ResourceSelectors) == 0 && len(manifests) == 0 {
		diags.AddAttributeError(path.Root("resource_selectors"), "Nothing to place", "Set resource_selectors to select objects on the hub, or "+
			"manifests to place objects that are given here.")
		return
	}
	validateManifests(manifests, diags)
	for _, problem := range placement.Validate(spec) {
		if len(spec.ResourceSelectors) == 0 && problem.Path.String() == "resource_selectors" {
			continue // all manifests are placed
		}
		diags.AddAttributeError(report.Path(problem.Path), "Invalid placement", problem.String())
	}
}
