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

// String returns the name for users.
func (m model) String() string { return m.Namespace.ValueString() + "/" + m.Name.ValueString() }

// expand requires that everything except the computed attributes is known.
func (m model) expand(ctx context.Context, diags *diag.Diagnostics) envelope.Spec {
	return envelope.Spec{
		Name: m.Name.ValueString(), Namespace: m.Namespace.ValueString(),
		Labels:      convert.FromMap[string](ctx, m.Labels, diags),
		Annotations: convert.FromMap[string](ctx, m.Annotations, diags),
		Manifests:   yamltext.Texts(m.Manifests),
		WireFormat:  envelope.WireFormat(m.WireFormat.ValueString()),
	}
}

// derive sets the attribute objects, which depends only on the configuration.
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

func flattenSelectors(ctx context.Context, selectors []placement.ResourceSelector, diags *diag.Diagnostics) types.List {
	out := make([]identifier.Selector, len(selectors))
	for i, s := range selectors {
		out[i] = identifier.Selector{Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name}
	}
	return convert.List(ctx, resourceSchema().Attributes["resource_selectors"], out, diags)
}

// flatten converts the envelope on the hub to the model. A ConfigMap without the envelope annotation has no objects, so that the next plan restores
// the annotation.
func flatten(ctx context.Context, state engine.Envelope, diags *diag.Diagnostics) model {
	spec := state.Spec
	out := model{
		Name: types.StringValue(spec.Name), Namespace: types.StringValue(spec.Namespace),
		UID: firstUID(state), WireFormat: convert.String(spec.WireFormat),
	}
	annotations := maps.Clone(spec.Annotations)
	_, marked := annotations[envelope.Annotation]
	isEnvelope := marked || !slices.ContainsFunc(state.Objects, func(o engine.KeptObject) bool { return o.Kind == string(envelope.TypeConfigMap) })
	delete(annotations, envelope.Annotation)
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	attributes := resourceSchema().Attributes
	out.Labels = convert.Map(ctx, attributes["labels"], nilIfEmpty(spec.Labels), diags)
	out.Annotations = convert.Map(ctx, attributes["annotations"], nilIfEmpty(annotations), diags)
	out.Manifests = convert.Map(ctx, attributes["manifests"], spec.Manifests, diags)
	out.derive(ctx, spec, diags)
	out.ResourceSelectors = flattenSelectors(ctx, state.Selectors(), diags)
	if !isEnvelope {
		out.Objects = convert.List[objectModel](ctx, attributes["objects"], nil, diags)
	}
	return out
}

func firstUID(e engine.Envelope) types.String {
	if len(e.Objects) == 0 {
		return types.StringNull()
	}
	return convert.Line(e.Objects[0].UID)
}

// nilIfEmpty returns nil for an empty map: a hub does not distinguish an empty map from none.
func nilIfEmpty(in map[string]string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	return in
}
