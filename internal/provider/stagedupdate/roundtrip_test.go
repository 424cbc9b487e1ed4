package stagedupdate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

const rounds = 300

// TestSpecRoundTrip checks that the objects on a hub survive the conversion to Terraform and back, and that omitted values stay omitted and empty
// values stay empty.
func TestSpecRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		var diags diag.Diagnostics
		strategy, run := arbitrary.Value[domain.Strategy](g), arbitrary.Value[domain.Run](g)
		if strategy.Stages == nil {
			strategy.Stages = []domain.Stage{} // a strategy has stages
		}
		var s strategyModel
		s.set(t.Context(), strategy, &diags)
		var r runModel
		r.set(run)
		if diff := cmp.Diff(strategy, s.expand(t.Context(), &diags)) + cmp.Diff(run, r.expand().Spec); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never generated: %v", unseen)
	}
}

// TestConfigurationRoundTrip checks that a configuration survives the conversion to the domain and back.
func TestConfigurationRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		var diags diag.Diagnostics
		stages := arbitrary.Value[[]stageModel](g)
		if stages == nil {
			stages = []stageModel{}
		}
		m := strategyModel{Stages: convert.List(t.Context(), stagesAttribute(), stages, &diags)}
		var back strategyModel
		back.set(t.Context(), m.expand(t.Context(), &diags), &diags)
		if diff := cmp.Diff(m, back); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
}
