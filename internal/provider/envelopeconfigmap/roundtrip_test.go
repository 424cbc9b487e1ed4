package envelopeconfigmap

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

const rounds = 300

var oneObject = map[string]string{"a.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"}

// TestSpecRoundTrip checks that an envelope on the hub survives the conversion to Terraform and back. A ConfigMap does not distinguish empty labels
// from none.
func TestSpecRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		var diags diag.Diagnostics
		spec := arbitrary.Value[envelope.Spec](g)
		stored := spec
		stored.Annotations = maps.Clone(spec.Annotations)
		if stored.Annotations == nil {
			stored.Annotations = map[string]string{}
		}
		stored.Annotations[envelope.Annotation] = "true"
		back := flatten(t.Context(), engine.Envelope{Spec: stored, Objects: []engine.KeptObject{{UID: "u"}}}, &diags).expand(t.Context(), &diags)
		if diff := cmp.Diff(spec, back, cmpopts.EquateEmpty()); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
}

// TestConfigurationRoundTrip checks that a configuration survives the conversion to the hub and back, and that an empty map remains empty if the
// state had an empty map.
func TestConfigurationRoundTrip(t *testing.T) {
	g, attributes := arbitrary.New(t), resourceSchema().Attributes
	for range rounds {
		var diags diag.Diagnostics
		m := model{
			Name: types.StringValue("n"), Namespace: types.StringValue("ns"), UID: types.StringValue("u"),
			Labels:          convert.Map(t.Context(), attributes["labels"], arbitrary.Value[map[string]string](g), &diags),
			Annotations:     convert.Map(t.Context(), attributes["annotations"], arbitrary.Value[map[string]string](g), &diags),
			Manifests:       convert.Map(t.Context(), attributes["manifests"], oneObject, &diags),
			ManifestsMasked: types.MapNull(yamltext.MaskedType), // depends on the others
		}
		spec := m.expand(t.Context(), &diags)
		m.derive(t.Context(), spec, &diags)
		m.ResourceSelectors = flattenSelectors(t.Context(), engine.Envelope{Spec: spec}.Selectors(), &diags)
		back := flatten(t.Context(), engine.Envelope{Spec: envelope.Spec{
			Name: spec.Name, Namespace: spec.Namespace, Labels: spec.Labels, Annotations: spec.ConfigMap().GetAnnotations(), Manifests: spec.Manifests,
		}, Objects: []engine.KeptObject{{Identifier: manifest.Identifier{Kind: "ConfigMap", Namespace: "ns", Name: "n"}, UID: "u"}}}, &diags)
		back.ManifestsMasked = m.ManifestsMasked
		back.Labels = filterConfigured(t.Context(), m.Labels, spec.Labels, &diags)
		back.Annotations = filterConfigured(t.Context(), m.Annotations, spec.ConfigMap().GetAnnotations(), &diags)
		if diff := cmp.Diff(m, back); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
}
