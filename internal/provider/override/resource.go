// Package override implements the resources fleet_cluster_resource_override and fleet_resource_override.
package override

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// NewCluster returns the resource fleet_cluster_resource_override.
func NewCluster() resource.Resource { return object.New(noun{}) }

// NewNamespaced returns the resource fleet_resource_override.
func NewNamespaced() resource.Resource { return object.New(noun{namespaced: true}) }

type noun struct{ namespaced bool }

func (noun) Title(m model) string { return "The " + m.reference().String() }

func (n noun) TypeName() string {
	if n.namespaced {
		return "resource_override"
	}
	return "cluster_resource_override"
}

func (n noun) Schema(context.Context) schema.Schema {
	if n.namespaced {
		return namespacedSchema()
	}
	return clusterSchema()
}

func (n noun) Identity() identity.Format {
	out := identity.Format{
		What: "override", Rule: "The ID is NAME for a fleet_cluster_resource_override and NAMESPACE/NAME for a fleet_resource_override",
	}
	if n.namespaced {
		out.Scope = identity.Namespaced
	}
	return out
}

func (n noun) Get(ctx context.Context, from object.Source, diags *diag.Diagnostics) model {
	if n.namespaced {
		var m namespacedModel
		diags.Append(from.Get(ctx, &m)...)
		return model{Base: m.Base, Namespace: m.Namespace, Selectors: m.ResourceSelectors}
	}
	var m clusterModel
	diags.Append(from.Get(ctx, &m)...)
	return model{Base: m.Base, Namespace: types.StringNull(), Selectors: m.ClusterResourceSelectors}
}

func (n noun) Set(ctx context.Context, to object.Target, m model) diag.Diagnostics {
	if n.namespaced {
		return to.Set(ctx, namespacedModel{Base: m.Base, Namespace: m.Namespace, ResourceSelectors: m.Selectors})
	}
	return to.Set(ctx, clusterModel{Base: m.Base, ClusterResourceSelectors: m.Selectors})
}

func (noun) Validate(ctx context.Context, m model, diags *diag.Diagnostics) {
	o := m.expand(ctx, diags)
	problems := m.validateValues(ctx, diags)
	if o.Cluster != nil {
		problems = slices.Concat(problems, override.ValidateCluster(*o.Cluster), override.ValidateClusterUse(*o.Cluster))
	} else if o.Namespaced != nil {
		problems = slices.Concat(problems, override.Validate(*o.Namespaced), override.ValidateUse(*o.Namespaced))
	}
	convert.Problems(diags, "Invalid override", problems)
}

// Plan adds errors for overrides that the engine does not support and for changes that the API rejects. It plans an update if members lack the override. It
// records the planned override in the session, and plans planned_changes.
func (n noun) Plan(ctx context.Context, p *object.Plan[model]) {
	n.check(ctx, p)
	if p.Response.Diagnostics.HasError() {
		return
	}
	if !p.IsDestroy() && !p.IsUnchanged() {
		p.Set(ctx, planonly.Attribute, types.StringNull())
	}
	if prior := p.Prior(ctx); prior != nil && p.Session != nil {
		p.Session.Overrides.Add(prior.reference())
	}
	change, recorded := p.RecordChange(ctx, n)
	if !recorded {
		return
	}
	changes := planEffects(ctx, p.Session, change.What, change.Removal.With(change.World), p.IsDestroy(), p.Response.Private, &p.Response.Diagnostics)
	if changes != "" {
		p.Set(ctx, planonly.Attribute, changes)
	}
}

func (n noun) check(ctx context.Context, p *object.Plan[model]) {
	diags := &p.Response.Diagnostics
	if p.IsDestroy() || !convert.Known(p.Request.Plan.Raw, n.Irrelevant()...) {
		return
	}
	after := p.Planned(ctx).expand(ctx, diags)
	if fleet := p.Engine(); fleet != nil {
		report.Limitations(diags, fleet.CheckOverride(after))
		p.DropRepeated()
	}
	prior := p.Prior(ctx)
	if prior == nil || diags.HasError() {
		return
	}
	before := prior.expand(ctx, diags)
	if before.Reference == after.Reference {
		report.Immutable(diags, "an override", override.ValidateChange(placementOf(before), placementOf(after)))
	}
	if len(prior.MissingOn.Elements()) > 0 {
		p.Set(ctx, "missing_on", types.ListUnknown(types.StringType))
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

func (n noun) Apply(ctx context.Context, c object.Call, m, prior *model, diags *diag.Diagnostics) (uid string, written bool) {
	var before *engine.Override
	if prior != nil {
		before = new(prior.expand(ctx, diags))
		before.UID = c.UID
		if !m.PlannedChanges.IsNull() {
			private.Set(ctx, c.Private, planonly.Attribute, nil, diags)
		}
	}
	applied, err := c.Engine.ApplyOverride(ctx, m.expand(ctx, diags), before)
	if err != nil {
		report.Error(diags, path.Root("name"), n.Title(*m)+" could not be recorded", err)
		return "", false
	}
	if len(applied.MissingOn) > 0 {
		diags.AddAttributeWarning(path.Root("name"), n.Title(*m)+" did not reach every member",
			"These members did not respond: "+strings.Join(applied.MissingOn, ", ")+". They keep their previous record of the override, if they have one. "+
				"The next apply writes the current one.")
	}
	if len(applied.FoundOn) > 0 {
		diags.AddAttributeWarning(path.Root("name"), n.Title(*m)+" already existed", "These members already had it as "+
			"configured: "+strings.Join(applied.FoundOn, ", ")+". This is expected if an earlier apply of this configuration did not finish. If "+
			"another configuration manages it, that configuration can no longer change or remove it: give one of the two another name.")
	}
	m.setMissing(ctx, applied.MissingOn, diags)
	return applied.UID, true
}

func (noun) Read(ctx context.Context, c object.Call, m *model, diags *diag.Diagnostics) (uid string, err error) {
	c.Session.Overrides.Add(m.reference())
	var before *engine.Override
	if !m.Policy.IsNull() {
		before = new(m.expand(ctx, diags))
		before.UID = c.UID
	}
	recorded, err := c.Engine.ReadOverride(ctx, m.reference(), before)
	if err != nil {
		return "", err
	}
	// Keep the configured text if the record is equivalent to it.
	if before == nil || !override.Same(*before, recorded.Override) {
		markSensitive(recorded.Override, before)
		m.set(ctx, recorded.Override, diags)
	}
	m.setMissing(ctx, recorded.MissingOn, diags)
	return recorded.UID, nil
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

func (noun) Delete(ctx context.Context, c object.Call, m model, diags *diag.Diagnostics) error {
	prior := m.expand(ctx, diags)
	prior.UID = c.UID
	return c.Engine.DeleteOverride(ctx, prior)
}
