// Package override implements the resources fleet_cluster_resource_override and fleet_resource_override.
package override

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/consequences"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
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

// Resource is one of the two resources.
type Resource struct {
	session    *session.Session
	namespaced bool
}

// NewCluster returns the resource fleet_cluster_resource_override.
func NewCluster() resource.Resource { return &Resource{} }

// NewNamespaced returns the resource fleet_resource_override.
func NewNamespaced() resource.Resource { return &Resource{namespaced: true} }

// Metadata returns the name of the resource type.
func (r *Resource) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_cluster_resource_override"
	if r.namespaced {
		response.TypeName = request.ProviderTypeName + "_resource_override"
	}
}

// Schema returns the schema of the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = clusterSchema()
	if r.namespaced {
		response.Schema = namespacedSchema()
	}
}

// IdentitySchema returns the schema of the identity.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	response.IdentitySchema = identity.NamedSchema("override")
	if r.namespaced {
		response.IdentitySchema = identity.NamespacedSchema("override")
	}
}

// identity returns the value of the resource identity.
func (r *Resource) identity(m model) any {
	if r.namespaced {
		return identity.Namespaced{Namespace: m.Namespace, Name: m.Name}
	}
	return identity.Named{Name: m.Name}
}

// Configure receives the session from the provider.
func (r *Resource) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	r.session = session.From(request.ProviderData, &response.Diagnostics)
}

// source is a configuration, a plan or a state.
type source interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

func (r *Resource) get(ctx context.Context, from source, diags *diag.Diagnostics) model {
	if r.namespaced {
		var m namespacedModel
		diags.Append(from.Get(ctx, &m)...)
		return model{Base: m.Base, Namespace: m.Namespace, Selectors: m.ResourceSelectors}
	}
	var m clusterModel
	diags.Append(from.Get(ctx, &m)...)
	return model{Base: m.Base, Namespace: types.StringNull(), Selectors: m.ClusterResourceSelectors}
}

// target is a state.
type target interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}

func (r *Resource) set(ctx context.Context, to target, m model, diags *diag.Diagnostics) {
	if r.namespaced {
		diags.Append(to.Set(ctx, namespacedModel{Base: m.Base, Namespace: m.Namespace, ResourceSelectors: m.Selectors})...)
		return
	}
	diags.Append(to.Set(ctx, clusterModel{Base: m.Base, ClusterResourceSelectors: m.Selectors})...)
}

// ValidateConfig validates the rules of the API.
func (r *Resource) ValidateConfig(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	m := r.get(ctx, request.Config, &response.Diagnostics)
	if response.Diagnostics.HasError() || !isKnown(request.Config.Raw) {
		return
	}
	o := m.expand(ctx, &response.Diagnostics)
	problems := m.validateValues(ctx, &response.Diagnostics)
	if o.Cluster != nil {
		problems = slices.Concat(problems, override.ValidateCluster(*o.Cluster), override.ValidateClusterUse(*o.Cluster))
	} else if o.Namespaced != nil {
		problems = slices.Concat(problems, override.Validate(*o.Namespaced), override.ValidateUse(*o.Namespaced))
	}
	convert.Problems(&response.Diagnostics, "Invalid override", problems)
}

// ModifyPlan adds errors for overrides that the engine cannot express and for changes that the API rejects. It plans an update for members that lack
// the override, and records the planned override in the session.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	r.check(ctx, request, response)
	if response.Diagnostics.HasError() {
		return
	}
	if !request.Plan.Raw.IsNull() && !request.Plan.Raw.Equal(request.State.Raw) {
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root(planonly.Attribute), types.StringNull())...)
	}
	r.recordPlan(ctx, request.State, response)
}

// check validates the planned override and plans missing_on.
func (r *Resource) check(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() || !isKnown(request.Plan.Raw) {
		return
	}
	planned := r.get(ctx, request.Plan, &response.Diagnostics)
	after := planned.expand(ctx, &response.Diagnostics)
	if r.session != nil && r.session.Engine != nil {
		report.Limitations(&response.Diagnostics, r.session.Engine.CheckOverride(after))
		response.Diagnostics = r.session.News(response.Diagnostics)
	}
	if request.State.Raw.IsNull() {
		return
	}
	prior := r.get(ctx, request.State, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	before := prior.expand(ctx, &response.Diagnostics)
	if before.Reference == after.Reference { // otherwise the override is replaced
		report.Immutable(&response.Diagnostics, "an override", override.ValidateChange(placementOf(before), placementOf(after)))
	}
	if len(prior.MissingOn.Elements()) > 0 {
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("missing_on"), types.ListUnknown(types.StringType))...)
	}
}

func policyOf(o engine.Override) *override.Policy {
	switch {
	case o.Cluster != nil:
		return o.Cluster.Policy
	case o.Namespaced != nil:
		return o.Namespaced.Policy
	default:
		return nil
	}
}

func placementOf(o engine.Override) *override.PlacementReference {
	switch {
	case o.Cluster != nil:
		return o.Cluster.Placement
	case o.Namespaced != nil:
		return o.Namespaced.Placement
	default:
		return nil
	}
}

// Create creates the override.
func (r *Resource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.apply(ctx, request.Plan, nil, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

// Update changes the override.
func (r *Resource) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	prior := r.get(ctx, request.State, &response.Diagnostics)
	r.apply(ctx, request.Plan, &prior, response.Private, &response.State, response.Identity, &response.Diagnostics)
}

func (r *Resource) apply(
	ctx context.Context, plan tfsdk.Plan, prior *model, memory private.State, state *tfsdk.State, identity *tfsdk.ResourceIdentity,
	diags *diag.Diagnostics,
) {
	m := r.get(ctx, plan, diags)
	fleet := r.session.ReadyToWrite(diags)
	if diags.HasError() {
		return
	}
	var before *engine.Override
	if prior != nil {
		before = new(prior.expand(ctx, diags))
		private.Recall(ctx, memory, private.UID, &before.UID, diags)
	}
	want := m.expand(ctx, diags)
	if prior != nil && !m.PlannedChanges.IsNull() {
		private.Keep(ctx, memory, planonly.Attribute, nil, diags)
	}
	defer r.session.OverrideApplied(m.reference())
	end, ok := newWrite(want).Hold(ctx, r.session, prior == nil, memory, diags)
	defer end()
	if !ok {
		return
	}
	applied, err := fleet.ApplyOverride(ctx, want, before)
	if err != nil {
		report.Error(diags, path.Root("name"), "The "+m.reference().String()+" could not be recorded", err)
		return
	}
	if len(applied.MissingOn) > 0 {
		diags.AddAttributeWarning(path.Root("name"), "The "+m.reference().String()+" did not reach every member",
			"These members did not respond: "+strings.Join(applied.MissingOn, ", ")+". They keep their previous record of the override, if they have one. "+
				"The next apply writes the current one.")
	}
	if len(applied.FoundOn) > 0 {
		diags.AddAttributeWarning(path.Root("name"), "The "+m.reference().String()+" was there already", "These members had it just as it is "+
			"configured: "+strings.Join(applied.FoundOn, ", ")+". This is expected if an earlier apply of this configuration did not finish. If "+
			"another configuration manages it, that configuration can no longer change or remove it: give one of the two another name.")
	}
	private.Keep(ctx, memory, private.UID, applied.UID, diags)
	m.setMissing(ctx, applied.MissingOn, diags)
	r.set(ctx, state, m, diags)
	diags.Append(identity.Set(ctx, r.identity(m))...)
}

// Read refreshes the override.
func (r *Resource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	m := r.get(ctx, request.State, &response.Diagnostics)
	response.Diagnostics.Append(response.Identity.Set(ctx, r.identity(m))...)
	fleet := r.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	r.session.ManageOverride(m.reference())
	var before *engine.Override
	if !m.Policy.IsNull() {
		before = new(m.expand(ctx, &response.Diagnostics))
		private.Recall(ctx, request.Private, private.UID, &before.UID, &response.Diagnostics)
	}
	recorded, err := fleet.ReadOverride(ctx, m.reference(), before)
	if errors.Is(err, engine.ErrNotFound) {
		response.State.RemoveResource(ctx)
		return
	}
	if report.Replaced(&response.Diagnostics, path.Root("name"), "The "+m.reference().String(), err) ||
		report.ManagedElsewhere(&response.Diagnostics, path.Root("name"), "The "+m.reference().String(), err) {
		return
	}
	if err != nil {
		report.Error(&response.Diagnostics, path.Root("name"), "The "+m.reference().String()+" could not be read", err)
		return
	}
	// Keep the user's text if it means the same as the record.
	if before == nil || !override.Same(*before, recorded.Override) {
		markSensitive(recorded.Override, before)
		m.set(ctx, recorded.Override, &response.Diagnostics)
	}
	private.Keep(ctx, response.Private, private.UID, recorded.UID, &response.Diagnostics)
	m.setMissing(ctx, recorded.MissingOn, &response.Diagnostics)
	r.set(ctx, &response.State, m, &response.Diagnostics)
}

// markSensitive marks the values of a recorded override that must not be shown: values that are sensitive in the state, and values that can apply to
// Secrets. before is nil for an import.
func markSensitive(recorded engine.Override, before *engine.Override) {
	if recorded.Namespaced != nil {
		recorded.Namespaced.MarkSecrets()
	}
	var known *override.Policy
	if before != nil {
		known = policyOf(*before)
		policyOf(recorded).MarkLike(known)
	}
	if recorded.Cluster != nil {
		recorded.Cluster.MarkSecrets(known)
	}
}

// Delete removes the override.
func (r *Resource) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	m := r.get(ctx, request.State, &response.Diagnostics)
	fleet := r.session.ReadyToWrite(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	defer r.session.OverrideApplied(m.reference())
	change := consequences.Change{What: m.reference().String(), Removal: worldWithout(m.reference())}
	end, ok := change.Hold(ctx, r.session, false, request.Private, &response.Diagnostics)
	defer end()
	if !ok {
		return
	}
	prior := m.expand(ctx, &response.Diagnostics)
	private.Recall(ctx, request.Private, private.UID, &prior.UID, &response.Diagnostics)
	if err := fleet.DeleteOverride(engine.WithWritten(ctx, end), prior); err != nil {
		report.Error(&response.Diagnostics, path.Root("name"), "The "+m.reference().String()+" could not be removed", err)
	}
}

// ImportState imports an override by NAME or NAMESPACE/NAME, or by its identity.
func (r *Resource) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	var imported bool
	if r.namespaced {
		imported = identity.ImportNamespaced(ctx, request, response)
	} else if imported = !strings.Contains(request.ID, "/"); imported {
		identity.ImportNamed(ctx, request, response)
	}
	if !imported {
		response.Diagnostics.AddError("Invalid import ID", "The ID is NAME for a fleet_cluster_resource_override and NAMESPACE/NAME for a "+
			"fleet_resource_override; it is \""+request.ID+"\".")
	}
}
