package placement

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

const rounds = 200

// What is recorded comes back from Terraform as it was, with what was left out left out and what was empty empty.
func TestSpecRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		spec, manifests := arbitrary.Value[domain.Spec](g), arbitrary.Value[map[string]string](g)
		if len(manifests) == 0 {
			manifests = nil // no record tells an empty map from none
		}
		var diags diag.Diagnostics
		var m Model
		m.setSpec(t.Context(), spec, manifests, &diags)
		back, backManifests := m.Expand(t.Context(), &diags)
		if diff := cmp.Diff(spec.WithoutUnusedParts(), back) + cmp.Diff(manifests, backManifests); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never tried: %v", unseen)
	}
}

// What is configured comes back from the domain as it was written.
func TestConfigurationRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	none := HandOver{TakesOverFrom: types.SetNull(types.StringType), TakesOverFromRemoved: types.SetNull(types.StringType)} // no record has them
	for range rounds {
		var diags diag.Diagnostics
		m := Model{
			Base: Base{
				Choice: Choice{
					ResourceSelectors: convert.List(t.Context(), selectorsAttribute(), arbitrary.Value[[]selectorModel](g), &diags),
					Policy:            convert.Object(t.Context(), policyAttribute(), usedPolicy(arbitrary.Value[*policyModel](g)), &diags),
					Strategy:          convert.Object(t.Context(), strategyAttribute(), usedStrategy(arbitrary.Value[*strategyModel](g), g), &diags),
				},
				RevisionHistoryLimit: wholenumber.FromPointer(arbitrary.Value[*int32](g)),
				HandOver:             none,
			},
			Manifests:            convert.Map(t.Context(), manifestsAttribute(), map[string]string{"a": "b"}, &diags),
			IgnoreFields:         convert.List[ignoreRuleModel](t.Context(), ignoreFieldsAttribute(), nil, &diags), // no record has them
			ManifestDigests:      types.MapNull(types.StringType),                                                  // follows from the others
			ManifestsWO:          types.MapNull(yamltext.Type{}),                                                   // is in the configuration only
			StatusReportingScope: convert.String(arbitrary.Value[domain.ReportingScope](g)),
		}
		spec, manifests := m.Expand(t.Context(), &diags)
		back := Model{Base: Base{HandOver: none}, ManifestDigests: m.ManifestDigests, ManifestsWO: m.ManifestsWO, IgnoreFields: m.IgnoreFields}
		back.setSpec(t.Context(), spec, manifests, &diags)
		if diff := cmp.Diff(m, back); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never tried: %v", unseen)
	}
}

// usedPolicy leaves out the empty parts that the type of the policy excludes: these count as left out, and Read keeps the user's text.
func usedPolicy(p *policyModel) *policyModel {
	if p == nil {
		return nil
	}
	return flattenPolicy(domain.Spec{Policy: p.expand()}.WithoutUnusedParts().Policy)
}

// usedStrategy does so for a strategy, and has a comparison option in the API's spelling: of another one the meaning comes back, and Read keeps the user's
// text.
func usedStrategy(s *strategyModel, g *arbitrary.Generator) *strategyModel {
	if s == nil {
		return nil
	}
	if s.ApplyStrategy != nil {
		s.ApplyStrategy.ComparisonOption = convert.Optional(string(arbitrary.Value[domain.ComparisonOption](g)))
	}
	return flattenStrategy(domain.Spec{Strategy: s.expand()}.WithoutUnusedParts().Strategy)
}

// A comparison option means the same in either spelling.
func TestSpellingsOfComparisonOptions(t *testing.T) {
	for i, alias := range domain.ComparisonOption("").Aliases() {
		got := strategyModel{ApplyStrategy: &applyStrategyModel{ComparisonOption: &alias}}.expand()
		if want := domain.ComparisonOption("").Values()[i]; string(got.ApplyStrategy.ComparisonOption) != want {
			t.Errorf("%s is %s instead of %s", alias, got.ApplyStrategy.ComparisonOption, want)
		}
	}
}

// What is kept from the last time comes back as it was.
func TestMemoryRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		status := arbitrary.Value[domain.Status](g)
		known, kept := Memory{ID: "0b7c4a9e", Status: &status, Key: engine.NewKey()}, keeping{}
		var diags diag.Diagnostics
		known.keep(t.Context(), kept, &diags)
		back := Recall(t.Context(), kept, &diags)
		if diff := cmp.Diff(known, back); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
}

// keeping is a private state.
type keeping map[string][]byte

func (p keeping) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

func (p keeping) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	p[key] = value
	return nil
}

func TestNothingRemembered(t *testing.T) {
	var diags diag.Diagnostics
	if got := Recall(t.Context(), keeping{}, &diags); !cmp.Equal(got, Memory{}) || diags.HasError() {
		t.Errorf("%v %v", got, diags)
	}
	if Recall(t.Context(), keeping{privateStatus: []byte("{")}, &diags); !diags.HasError() {
		t.Error("a damaged private state is read as if it were empty")
	}
}
