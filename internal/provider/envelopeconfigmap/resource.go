// Package envelopeconfigmap implements the resource fleet_envelope_configmap.
package envelopeconfigmap

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/consequences"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithUpgradeState   = (*Resource)(nil)
)

// Resource is the resource fleet_envelope_configmap.
type Resource struct{ session *session.Session }

// New returns the resource.
func New() resource.Resource { return &Resource{} }

// Metadata returns the name of the resource type.
func (*Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_envelope_configmap"
}

// IdentitySchema returns the schema of the identity.
func (*Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = identity.NamespacedSchema("ConfigMap")
}

// Configure receives the session from the provider.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ValidateConfig parses and validates every manifest.
func (r *Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	if !request.Config.Raw.IsFullyKnown() {
		return
	}
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if response.Diagnostics.HasError() {
		return
	}
	for _, problem := range data.expand(ctx, &response.Diagnostics).Validate() {
		at, where, text := path.Root(problem.Field), problem.Field, problem.Message
		if problem.Key != "" {
			where = fmt.Sprintf("%s[%q]", problem.Field, problem.Key) // Terraform shows only the first step of a path
			text = where + ": " + text
		}
		if problem.Warning {
			response.Diagnostics.AddAttributeWarning(at, "Likely mistake in "+where, problem.Message+".")
			continue
		}
		if problem.Field == envelope.FieldName || problem.Field == envelope.FieldNamespace {
			continue // the validators of the schema report it
		}
		response.Diagnostics.AddAttributeError(at, "Invalid envelope", text)
	}
}

// ModifyPlan plans the computed attributes, and records the planned envelope in the session.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	r.planComputed(ctx, request, response)
	planUID(ctx, request, response)
	if !response.Diagnostics.HasError() {
		r.recordPlan(ctx, request.State, response.Plan, response.Private, &response.Diagnostics)
	}
}

// planUID keeps the UID if nothing changes. A change may make another object the first one, or find that the first object is gone.
func planUID(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() || request.State.Raw.IsNull() || response.Diagnostics.HasError() {
		return
	}
	uid := types.StringUnknown()
	if !convert.Differs(response.Plan.Raw, request.State.Raw, "uid") {
		response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("uid"), &uid)...)
	}
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("uid"), uid)...)
}

// planComputed plans the attributes that depend on the configuration. None of them comes from a cluster, so the plan can know them.
func (r *Resource) planComputed(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		return
	}
	var data model
	response.Diagnostics.Append(request.Plan.Get(ctx, &data)...)
	if response.Diagnostics.HasError() {
		return
	}
	// Labels and annotations may be unknown.
	spec := envelope.Spec{
		Namespace: data.Namespace.ValueString(), Name: data.Name.ValueString(), WireFormat: envelope.WireFormat(data.WireFormat.ValueString()),
	}
	if r.session != nil && r.session.Engine != nil {
		report.Limitations(&response.Diagnostics, r.session.Engine.CheckEnvelope(spec))
		if response.Diagnostics.HasError() {
			return
		}
	}
	var prior model
	if !request.State.Raw.IsNull() {
		response.Diagnostics.Append(request.State.Get(ctx, &prior)...)
	}
	if changing := data.ManifestsMasked.IsUnknown(); changing {
		masked := yamltext.Masked(data.Manifests, prior.Manifests, prior.ManifestsMasked)
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("manifests_masked"), masked)...)
	}
	if raw, err := data.Manifests.ToTerraformValue(ctx); err != nil || !convert.Known(raw) || data.Namespace.IsUnknown() {
		return
	}
	spec.Manifests = yamltext.Texts(data.Manifests)
	data.derive(ctx, spec, &response.Diagnostics)
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("objects"), data.Objects)...)
	if r.session == nil || r.session.Engine == nil || data.Name.IsUnknown() || data.WireFormat.IsUnknown() {
		return
	}
	selectors, known, err := r.session.Engine.EnvelopeSelectors(ctx, spec)
	_, notServed := errors.AsType[*engine.NotServedError](err)
	_, unsupported := errors.AsType[*engine.LimitationError](err)
	switch {
	case notServed || unsupported:
		report.Error(&response.Diagnostics, path.Root("wire_format"), "The envelope "+data.String()+" cannot be kept so", err)
	case err != nil && !known: // a value that an earlier plan knows must not become unknown in the plan of the apply
		report.Error(&response.Diagnostics, path.Root("wire_format"), "The wire format of the envelope "+data.String()+" is not known", fmt.Errorf("%w. With "+
			"wire_format = \"Auto\", the hub decides what the envelope is kept in, so that a plan and an apply need the hub. Run the command again when the hub "+
			"responds, or set wire_format", err))
	}
	if known {
		list := flattenSelectors(ctx, selectors, &response.Diagnostics)
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("resource_selectors"), list)...)
	}
}

// Create writes the envelope.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.apply(ctx, request.Plan, nil, applyTarget{&response.State, response.Identity, response.Private}, &response.Diagnostics)
}

// Update changes the envelope.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	var prior model
	response.Diagnostics.Append(request.State.Get(ctx, &prior)...)
	before := prior.expandKnown(ctx, request.Private, &response.Diagnostics)
	r.apply(ctx, request.Plan, &before, applyTarget{&response.State, response.Identity, response.Private}, &response.Diagnostics)
}

// applyTarget is where an apply stores its results.
type applyTarget struct {
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	private  private.State
}

// apply creates the envelope, or changes it if there is a prior one.
func (r *Resource) apply(ctx context.Context, plan tfsdk.Plan, prior *engine.Envelope, to applyTarget, diags *diag.Diagnostics) {
	var data model
	diags.Append(plan.Get(ctx, &data)...)
	fleet := r.session.ReadyToWrite(diags)
	if diags.HasError() {
		return
	}
	done := "created"
	if prior != nil {
		done = "changed"
	}
	spec := data.expand(ctx, diags)
	defer r.session.EnvelopeApplied(data.reference())
	end, ok := newWrite(spec).Hold(ctx, r.session, prior == nil, to.private, diags)
	defer end()
	if !ok {
		return
	}
	stored, err := fleet.ApplyEnvelope(ctx, spec, prior)
	if err != nil {
		report.Error(diags, path.Root("name"), "The envelope "+data.String()+" could not be "+done, err)
		return
	}
	data.UID = firstUID(stored)
	if data.ManifestsMasked.IsUnknown() {
		data.ManifestsMasked = yamltext.Masked(data.Manifests, types.Map{}, types.Map{})
	}
	data.derive(ctx, spec, diags)
	data.ResourceSelectors = flattenSelectors(ctx, stored.Selectors(), diags)
	storeObjects(ctx, to.private, stored, diags)
	diags.Append(to.state.Set(ctx, data)...)
	diags.Append(to.identity.Set(ctx, data.identity())...)
}

// Read refreshes the envelope.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var data model
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	response.Diagnostics.Append(response.Identity.Set(ctx, data.identity())...)
	fleet := r.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	r.session.ManageEnvelope(data.reference())
	var before *engine.Envelope
	if !data.UID.IsNull() {
		before = new(data.expandKnown(ctx, request.Private, &response.Diagnostics))
	}
	stored, err := fleet.ReadEnvelope(ctx, data.reference(), before)
	if errors.Is(err, engine.ErrNotFound) {
		response.State.RemoveResource(ctx)
		return
	}
	if report.Replaced(&response.Diagnostics, path.Root("name"), "The envelope "+data.String(), err) {
		return
	}
	if err != nil {
		report.Error(&response.Diagnostics, path.Root("name"), "The envelope "+data.String()+" could not be read", err)
		return
	}
	storeObjects(ctx, response.Private, stored, &response.Diagnostics)
	known := data
	data = flatten(ctx, stored, &response.Diagnostics)
	data.Manifests = yamltext.KeepNulls(data.Manifests, known.Manifests)
	data.ManifestsMasked = yamltext.Masked(data.Manifests, known.Manifests, known.ManifestsMasked)
	data.WireFormat = known.WireFormat // a hub does not report the configured format
	if before != nil {
		data.Labels = filterConfigured(ctx, known.Labels, stored.Spec.Labels, &response.Diagnostics)
		data.Annotations = filterConfigured(ctx, known.Annotations, stored.Spec.Annotations, &response.Diagnostics)
	}
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
}

// filterConfigured returns those labels or annotations that the user configured. It ignores those that others have set. An empty map remains empty,
// because the hub does not distinguish it from none.
func filterConfigured(ctx context.Context, configured types.Map, read map[string]string, diags *diag.Diagnostics) types.Map {
	if len(configured.Elements()) == 0 {
		return configured
	}
	out := map[string]string{}
	for key := range configured.Elements() {
		if value, found := read[key]; found {
			out[key] = value
		}
	}
	return convert.AsWritten(ctx, convert.Map(ctx, resourceSchema().Attributes["labels"], nilIfEmpty(out), diags), configured)
}

// Delete removes the envelope from the hub.
func (r *Resource) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	var data model
	response.Diagnostics.Append(request.State.Get(ctx, &data)...)
	fleet := r.session.ReadyToWrite(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	defer r.session.EnvelopeApplied(data.reference())
	change := consequences.Change{What: "envelope " + data.String(), Removal: worldWithout(data.reference())}
	end, ok := change.Hold(ctx, r.session, false, request.Private, &response.Diagnostics)
	defer end()
	if !ok {
		return
	}
	if err := fleet.DeleteEnvelope(engine.WithWritten(ctx, end), data.expandKnown(ctx, request.Private, &response.Diagnostics)); err != nil {
		report.Error(&response.Diagnostics, path.Root("name"), "The envelope "+data.String()+" could not be removed", err)
	}
}

// ImportState imports an envelope by "NAMESPACE/NAME", or by its identity.
func (*Resource) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	if !identity.ImportNamespaced(ctx, request, response) {
		response.Diagnostics.AddError("Invalid import ID", "The ID of an envelope is NAMESPACE/NAME, such as \"app/envelope-configmap\"; it is \""+
			request.ID+"\".")
	}
}
