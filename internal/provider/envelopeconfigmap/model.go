package envelopeconfigmap

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

type model struct {
	Name              types.String `tfsdk:"name"`
	Namespace         types.String `tfsdk:"namespace"`
	WireFormat        types.String `tfsdk:"wire_format"`
	Labels            types.Map    `tfsdk:"labels"`
	Annotations       types.Map    `tfsdk:"annotations"`
	Manifests         types.Map    `tfsdk:"manifests"`
	ManifestsMasked   types.Map    `tfsdk:"manifests_masked"`
	Objects           types.List   `tfsdk:"objects"`
	ResourceSelectors types.List   `tfsdk:"resource_selectors"`
	UID               types.String `tfsdk:"uid"`
}

type objectModel struct {
	Key string `tfsdk:"key"`
	identifier.Object
}

func (m model) identity() identity.Namespaced {
	return identity.Namespaced{Namespace: m.Namespace, Name: m.Name}
}

// String is what users read.
func (m model) String() string { return m.Namespace.ValueString() + "/" + m.Name.ValueString() }

// expand turns the model into the domain's value. Everything must be known but what follows from it.
func (m model) expand(ctx context.Context, diags *diag.Diagnostics) envelope.Spec {
	return envelope.Spec{
		Name: m.Name.ValueString(), Namespace: m.Namespace.ValueString(),
		Labels:      convert.FromMap[string](ctx, m.Labels, diags),
		Annotations: convert.FromMap[string](ctx, m.Annotations, diags),
		Manifests:   yamltext.Texts(m.Manifests),
		WireFormat:  envelope.WireFormat(m.WireFormat.ValueString()),
	}
}

// derive fills in what follows from the configuration alone.
func (m *model) derive(ctx context.Context, spec envelope.Spec, diags *diag.Diagnostics) {
	attributes := resourceSchema().Attributes
	var objects []objectModel
	for _, key := range slices.Sorted(maps.Keys(spec.Manifests)) {
		found, err := manifest.Parse(key, spec.Manifests[key])
		if err != nil {
			continue // reported by ValidateConfig
		}
		for _, o := range found {
			objects = append(objects, objectModel{Key: key, Object: identifier.FlattenObject(o.Identifier)})
		}
	}
	m.Objects = convert.List(ctx, attributes["objects"], objects, diags)
}

// flattenSelectors are what brings the envelope into a placement.
func flattenSelectors(ctx context.Context, selectors []placement.ResourceSelector, diags *diag.Diagnostics) types.List {
	out := make([]identifier.Selector, len(selectors))
	for i, s := range selectors {
		out[i] = identifier.Selector{Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name}
	}
	return convert.List(ctx, resourceSchema().Attributes["resource_selectors"], out, diags)
}

// flatten turns the envelope as it is on the hub into the model. A ConfigMap that has lost the annotation has no objects: the next plan
// restores it.
func flatten(ctx context.Context, state engine.Envelope, diags *diag.Diagnostics) model {
	spec := state.Spec
	out := model{Name: types.StringValue(spec.Name), Namespace: types.StringValue(spec.Namespace), UID: uidOf(state), WireFormat: convert.String(spec.WireFormat)}
	annotations := maps.Clone(spec.Annotations)
	_, marked := annotations[envelope.Annotation]
	isEnvelope := marked || !slices.ContainsFunc(state.Objects, func(o engine.KeptObject) bool { return o.Kind == string(envelope.TypeConfigMap) })
	delete(annotations, envelope.Annotation)
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	attributes := resourceSchema().Attributes
	out.Labels = convert.Map(ctx, attributes["labels"], nonEmpty(spec.Labels), diags)
	out.Annotations = convert.Map(ctx, attributes["annotations"], nonEmpty(annotations), diags)
	out.Manifests = convert.Map(ctx, attributes["manifests"], spec.Manifests, diags)
	out.derive(ctx, spec, diags)
	out.ResourceSelectors = flattenSelectors(ctx, state.Selectors(), diags)
	if !isEnvelope {
		out.Objects = convert.List[objectModel](ctx, attributes["objects"], nil, diags)
	}
	return out
}

// uidOf is the UID of what the envelope is kept in.
func uidOf(e engine.Envelope) types.String {
	if len(e.Objects) == 0 {
		return types.StringNull()
	}
	return convert.Line(e.Objects[0].UID)
}

// nonEmpty is nil of an empty map: the hub does not tell it from none.
func nonEmpty(in map[string]string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	return in
}
