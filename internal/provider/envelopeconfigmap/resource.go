// Package envelopeconfigmap implements the resource fleet_envelope_configmap.
package envelopeconfigmap

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// New returns the resource.
func New() resource.Resource { return object.New(noun{}) }

type noun struct{}

func (noun) TypeName() string                     { return "envelope_configmap" }
func (noun) Title(m model) string                 { return "The envelope " + m.String() }
func (noun) Schema(context.Context) schema.Schema { return resourceSchema() }

func (noun) Identity() identity.Format {
	return identity.Format{
		What: "envelope", Scope: identity.Namespaced, Rule: "The ID of an envelope is NAMESPACE/NAME, such as \"app/envelope-configmap\"",
	}
}

func (noun) Validate(ctx context.Context, m model, diags *diag.Diagnostics) {
	problems := slices.DeleteFunc(m.expand(ctx, diags).Validate(), func(p placement.Problem) bool {
		return !p.Warning && (p.Path.String() == "name" || p.Path.String() == "namespace") // the validators of the schema report it
	})
	convert.Problems(diags, "Invalid envelope", problems)
}

// Plan plans the computed attributes, and records the planned envelope in the session.
func (n noun) Plan(ctx context.Context, p *object.Plan[model]) {
	planComputed(ctx, p)
	planUID(ctx, p)
	if p.Response.Diagnostics.HasError() {
		return
	}
	if prior := p.Prior(ctx); prior != nil && p.Session != nil {
		p.Session.Envelopes.Add(prior.reference())
	}
	p.RecordChange(ctx, n)
}

// planUID keeps the UID if nothing changes. Otherwise, the UID is unknown: a change can store the envelope in other objects, or recreate a deleted object.
func planUID(ctx context.Context, p *object.Plan[model]) {
	prior := p.Prior(ctx)
	if p.IsDestroy() || prior == nil || p.Response.Diagnostics.HasError() {
		return
	}
	uid := types.StringUnknown()
	if !convert.Differs(p.Response.Plan.Raw, p.Request.State.Raw, "uid") {
		uid = prior.UID
	}
	p.Set(ctx, "uid", uid)
}

// planComputed plans the attributes that depend only on the configuration and on the kinds that the hub serves.
func planComputed(ctx context.Context, p *object.Plan[model]) {
	planned, diags, fleet := p.Planned(ctx), &p.Response.Diagnostics, p.Engine()
	if planned == nil || diags.HasError() {
		return
	}
	data := *planned
	// spec has no labels and annotations, because they may be unknown.
	spec := envelope.Spec{
		Namespace: data.Namespace.ValueString(), Name: data.Name.ValueString(), WireFormat: envelope.WireFormat(data.WireFormat.ValueString()),
	}
	if fleet != nil {
		report.Limitations(diags, fleet.CheckEnvelope(spec))
		if diags.HasError() {
			return
		}
	}
	if data.ManifestsMasked.IsUnknown() {
		var prior model
		if known := p.Prior(ctx); known != nil {
			prior = *known
		}
		p.Set(ctx, "manifests_masked", yamltext.Masked(data.Manifests, prior.Manifests, prior.ManifestsMasked))
	}
	if raw, err := data.Manifests.ToTerraformValue(ctx); err != nil || !convert.Known(raw) || data.Namespace.IsUnknown() {
		return
	}
	spec.Manifests = yamltext.Texts(data.Manifests)
	data.derive(ctx, spec, diags)
	p.Set(ctx, "objects", data.Objects)
	if fleet == nil || data.Name.IsUnknown() || data.WireFormat.IsUnknown() {
		return
	}
	selectors, known, err := fleet.EnvelopeSelectors(ctx, spec)
	_, notServed := errors.AsType[*engine.NotServedError](err)
	_, unsupported := errors.AsType[*engine.LimitationError](err)
	switch {
	case notServed || unsupported:
		report.Error(diags, path.Root("wire_format"), "The envelope "+data.String()+" cannot be stored in this form", err)
	case err != nil && !known: // a value that an earlier plan knows must not become unknown in the plan of the apply
		report.Error(diags, path.Root("wire_format"), "The wire format of the envelope "+data.String()+" is unknown", fmt.Errorf("%w. With "+
			"wire_format = \"Auto\", the hub determines the kind that stores the envelope, so a plan and an apply need the hub. Run the command again when the hub "+
			"responds, or set wire_format", err))
	}
	if known {
		p.Set(ctx, "resource_selectors", flattenSelectors(ctx, selectors, diags))
	}
}

func (n noun) Apply(ctx context.Context, c object.Call, m, prior *model, diags *diag.Diagnostics) (uid string, written bool) {
	done := "created"
	var before *engine.Envelope
	if prior != nil {
		done, before = "changed", new(prior.expandKnown(ctx, c.Private, diags))
	}
	spec := m.expand(ctx, diags)
	stored, err := c.Engine.ApplyEnvelope(ctx, spec, before)
	if err != nil {
		report.Error(diags, path.Root("name"), n.Title(*m)+" could not be "+done, err)
		return "", false
	}
	m.UID = firstUID(stored)
	if m.ManifestsMasked.IsUnknown() {
		m.ManifestsMasked = yamltext.Masked(m.Manifests, types.Map{}, types.Map{})
	}
	m.derive(ctx, spec, diags)
	m.ResourceSelectors = flattenSelectors(ctx, stored.Selectors(), diags)
	storeObjects(ctx, c.Private, stored, diags)
	return m.UID.ValueString(), true
}

func (noun) Read(ctx context.Context, c object.Call, m *model, diags *diag.Diagnostics) (uid string, err error) {
	c.Session.Envelopes.Add(m.reference())
	var before *engine.Envelope
	if !m.UID.IsNull() {
		before = new(m.expandKnown(ctx, c.Private, diags))
	}
	stored, err := c.Engine.ReadEnvelope(ctx, m.reference(), before)
	if err != nil {
		return "", err
	}
	storeObjects(ctx, c.Private, stored, diags)
	known := *m
	*m = flatten(ctx, stored, diags)
	m.Manifests = yamltext.KeepNulls(m.Manifests, known.Manifests)
	m.ManifestsMasked = yamltext.Masked(m.Manifests, known.Manifests, known.ManifestsMasked)
	m.WireFormat = known.WireFormat // a hub does not report the configured format
	if before != nil {
		m.Labels = filterConfigured(ctx, known.Labels, stored.Spec.Labels, diags)
		m.Annotations = filterConfigured(ctx, known.Annotations, stored.Spec.Annotations, diags)
	}
	return m.UID.ValueString(), nil
}

// filterConfigured returns the labels or annotations that were read and are configured. A configured empty map remains empty, although a hub does not distinguish
// it from none.
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

func (noun) Delete(ctx context.Context, c object.Call, m model, diags *diag.Diagnostics) error {
	return c.Engine.DeleteEnvelope(ctx, m.expandKnown(ctx, c.Private, diags))
}
