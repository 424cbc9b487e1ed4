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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

type model struct {
	Name              types.String `tfsdk:"name"`
	Namespace         types.String `tfsdk:"namespace"`
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
	m.ResourceSelectors = convert.List(ctx, attributes["resource_selectors"],
		[]identifier.Selector{{Version: "v1", Kind: "Namespace", Name: spec.Namespace}}, diags)
}

// flatten turns the envelope as it is on the hub into the model. One that has lost the annotation has no objects: the next plan restores
// it.
func flatten(ctx context.Context, state engine.Envelope, diags *diag.Diagnostics) model {
	spec := state.Spec
	out := model{Name: types.StringValue(spec.Name), Namespace: types.StringValue(spec.Namespace), UID: uidOf(state)}
	annotations := maps.Clone(spec.Annotations)
	_, isEnvelope := annotations[envelope.Annotation]
	delete(annotations, envelope.Annotation)
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	attributes := resourceSchema().Attributes
	out.Labels = convert.Map(ctx, attributes["labels"], nonEmpty(spec.Labels), diags)
	out.Annotations = convert.Map(ctx, attributes["annotations"], nonEmpty(annotations), diags)
	out.Manifests = convert.Map(ctx, attributes["manifests"], spec.Manifests, diags)
	out.derive(ctx, spec, diags)
	if !isEnvelope {
		out.Objects = convert.List[objectModel](ctx, attributes["objects"], nil, diags)
	}
	return out
}

// kept is the envelope as it was kept the last time.
func (m model) kept(ctx context.Context, diags *diag.Diagnostics) engine.Envelope {
	kind := envelope.TypeConfigMap.Kind()
	return engine.Envelope{Spec: m.expand(ctx, diags), Objects: []engine.KeptObject{{
		UID: m.UID.ValueString(), Identifier: manifest.Identifier{
			Version: kind.Version, Kind: kind.Kind, Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString(),
		},
	}}}
}

// uidOf is the UID of what the envelope is kept in.
func uidOf(e engine.Envelope) types.String {
	if len(e.Objects) == 0 {
		return types.StringNull()
	}
	return types.StringValue(e.Objects[0].UID)
}

// nonEmpty is nil of an empty map: the hub does not tell it from none.
func nonEmpty(in map[string]string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	return in
}
