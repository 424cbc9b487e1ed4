package membercluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/taint"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

const rounds = 300

// TestSpecRoundTrip checks that a registration survives the conversion to Terraform and back, and that omitted values stay omitted and empty values
// stay empty.
func TestSpecRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		var diags diag.Diagnostics
		spec := arbitrary.Value[member.Spec](g)
		spec.Taints = convert.Distinct(spec.Taints) // the attribute is a set
		back := flatten(t.Context(), spec, &diags).expand(t.Context(), &diags)
		if diff := cmp.Diff(spec, back); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never generated: %v", unseen)
	}
}

// TestConfigurationRoundTrip checks that a configuration survives the conversion to the domain and back.
func TestConfigurationRoundTrip(t *testing.T) {
	g, attributes := arbitrary.New(t), resourceSchema(t.Context()).Attributes
	for range rounds {
		var diags diag.Diagnostics
		m := model{
			Name:                   types.StringValue("m"),
			Labels:                 convert.Map(t.Context(), attributes["labels"], arbitrary.Value[map[string]string](g), &diags),
			Annotations:            convert.Map(t.Context(), attributes["annotations"], arbitrary.Value[map[string]string](g), &diags),
			Taints:                 convert.Set(t.Context(), attributes["taints"], convert.Each(convert.Distinct(arbitrary.Value[[]member.Taint](g)), taint.Flatten), &diags),
			HeartbeatPeriodSeconds: wholenumber.FromPointer(arbitrary.Value[*int32](g)),
			AdoptExisting:          types.BoolPointerValue(arbitrary.Value[*bool](g)),
			Identity:               convert.Object(t.Context(), attributes["identity"], arbitrary.Value[*identityModel](g), &diags),
			DeleteOptions:          convert.Object(t.Context(), attributes["delete_options"], arbitrary.Value[*deleteOptionsModel](g), &diags),
			Agent:                  convert.Object[agentModel](t.Context(), attributes["agent"], nil, &diags),
			Status:                 convert.Object[statusModel](t.Context(), attributes["status"], nil, &diags),
		}
		back := flatten(t.Context(), m.expand(t.Context(), &diags), &diags)
		if diff := cmp.Diff(m, back); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never generated: %v", unseen)
	}
}
