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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

type model struct {
	Name              types.String `tfsdk:"name"`
	Namespace         types.String `tfsdk:"namespace"`
	Labels            types.Map    `tfsdk:"labels"`
	Annotations       types.Map    `tfsdk:"annotations"`
	Manifests         types.Map    `tfsdk:"manifests"`
	Objects           types.List   `tfsdk:"objects"`
	ResourceSelectors types.List   `tfsdk:"resource_selectors"`
	UID               types.String `tfsdk:"uid"`
}

type objectModel struct {
	Key       string `tfsdk:"key"`
	Group     string `tfsdk:"group"`
	Version   string `tfsdk:"version"`
	Kind      string `tfsdk:"kind"`
	Namespace string `tfsdk:"namespace"`
	Name      string `tfsdk:"name"`
}

type selectorModel struct {
	Group   string `tfsdk:"group"`
	Version string `tfsdk:"version"`
	Kind    string `tfsdk:"kind"`
	Name    string `tfsdk:"name"`
}

func (m model) expand(ctx context.Context, diags *diag.Diagnostics) envelope.Spec {
	out := envelope.Spec{Name: m.Name.ValueString(), Namespace: m.Namespace.ValueString()}
	diags.Append(m.Labels.ElementsAs(ctx, &out.Labels, false)...)
	diags.Append(m.Annotations.ElementsAs(ctx, &out.Annotations, false)...)
	diags.Append(m.Manifests.ElementsAs(ctx, &out.Manifests, false)...)
	return out
}

// derive fills in what follows from the configuration alone.
func (m *model) derive(ctx context.Context, spec envelope.Spec, diags *diag.Diagnostics) {
	var objects []objectModel
	for _, key := range slices.Sorted(maps.Keys(spec.Manifests)) {
		found, err := manifest.Parse(key, spec.Manifests[key])
		if err != nil {
			continue // reported by ValidateConfig
		}
		for _, o := range found {
			objects = append(objects, objectModel{
				Key: key, Group: o.Group, Version: o.Version, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name,
			})
		}
	}
	var d diag.Diagnostics
	m.Objects, d = types.ListValueFrom(ctx, elementType("objects"), objects)
	diags.Append(d...)
	m.ResourceSelectors, d = types.ListValueFrom(ctx, elementType("resource_selectors"),
		[]selectorModel{{Version: "v1", Kind: "Namespace", Name: spec.Namespace}})
	diags.Append(d...)
}

// flatten turns the envelope as it is on the hub into the model. One that has lost the annotation has no objects: the next plan restores
// it.
func flatten(ctx context.Context, state engine.EnvelopeState, diags *diag.Diagnostics) model {
	spec := state.Spec
	out := model{Name: types.StringValue(spec.Name), Namespace: types.StringValue(spec.Namespace), UID: types.StringValue(state.UID)}
	annotations := maps.Clone(spec.Annotations)
	_, isEnvelope := annotations[envelope.Annotation]
	delete(annotations, envelope.Annotation)
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	out.Labels, out.Annotations = texts(ctx, spec.Labels, diags), texts(ctx, annotations, diags)
	var d diag.Diagnostics
	out.Manifests, d = types.MapValueFrom(ctx, yamltext.Type{}, spec.Manifests)
	diags.Append(d...)
	out.derive(ctx, spec, diags)
	if !isEnvelope {
		out.Objects = types.ListNull(elementType("objects"))
	}
	return out
}

func texts(ctx context.Context, values map[string]string, diags *diag.Diagnostics) types.Map {
	if len(values) == 0 {
		return types.MapNull(types.StringType)
	}
	out, d := types.MapValueFrom(ctx, types.StringType, values)
	diags.Append(d...)
	return out
}
