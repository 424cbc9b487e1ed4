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

// TestSpecRoundTrip checks that a recorded spec survives the conversion to Terraform and back, and that omitted values stay omitted and empty values
// stay empty.
func TestSpecRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		spec, manifests := arbitrary.Value[domain.Spec](g), arbitrary.Value[map[string]string](g)
		if len(manifests) == 0 {
			manifests = nil // a record does not distinguish an empty map from none
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
		t.Errorf("these values were never generated: %v", unseen)
	}
}

// TestConfigurationRoundTrip checks that a configuration survives the conversion to the domain and back.
func TestConfigurationRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	none := HandOver{TakesOverFrom: types.SetNull(types.StringType), TakesOverFromRemoved: types.SetNull(types.StringType)} // no record has them
	for range rounds {
		var diags diag.Diagnostics
		m := Model{
			Base: Base{
				Choice: Choice{
					ResourceSelectors: convert.List(t.Context(), selectorsAttribute(), arbitrary.Value[[]selectorModel](g), &diags),
					Policy:            convert.Object(t.Context(), policyAttribute(), stripUnusedPolicy(arbitrary.Value[*policyModel](g)), &diags),
					Strategy:          convert.Object(t.Context(), strategyAttribute(), normalizeStrategy(arbitrary.Value[*strategyModel](g), g), &diags),
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
		t.Errorf("these values were never generated: %v", unseen)
	}
}

// stripUnusedPolicy removes the empty parts that the type of the policy excludes. They count as omitted, and Read keeps the user's text.
func stripUnusedPolicy(p *policyModel) *policyModel {
	if p == nil {
		return nil
	}
	return flattenPolicy(domain.Spec{Policy: p.expand()}.WithoutUnusedParts().Policy)
}

// normalizeStrategy does the same for a strategy, and writes its comparison option in the API's spelling: another spelling does not survive the
// conversion, and Read keeps the user's text.
func normalizeStrategy(s *strategyModel, g *arbitrary.Generator) *strategyModel {
	if s == nil {
		return nil
	}
	if s.ApplyStrategy != nil {
		s.ApplyStrategy.ComparisonOption = convert.Optional(string(arbitrary.Value[domain.ComparisonOption](g)))
	}
	return flattenStrategy(domain.Spec{Strategy: s.expand()}.WithoutUnusedParts().Strategy)
}

// TestSpellingsOfComparisonOptions checks that a comparison option means the same in both spellings.
func TestSpellingsOfComparisonOptions(t *testing.T) {
	for i, alias := range domain.ComparisonOption("").Aliases() {
		got := strategyModel{ApplyStrategy: &applyStrategyModel{ComparisonOption: &alias}}.expand()
		if want := domain.ComparisonOption("").Values()[i]; string(got.ApplyStrategy.ComparisonOption) != want {
			t.Errorf("%s is %s instead of %s", alias, got.ApplyStrategy.ComparisonOption, want)
		}
	}
}

// TestMemoryRoundTrip checks that the private state preserves the memory.
func TestMemoryRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		status := arbitrary.Value[domain.Status](g)
		known, state := Memory{ID: "0b7c4a9e", Status: &status, Key: engine.NewKey()}, memoryState{}
		var diags diag.Diagnostics
		known.store(t.Context(), state, &diags)
		back := Recall(t.Context(), state, &diags)
		if diff := cmp.Diff(known, back); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
}

// memoryState is a private state in memory.
type memoryState map[string][]byte

func (p memoryState) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return p[key], nil
}

func (p memoryState) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	p[key] = value
	return nil
}

func TestNothingRemembered(t *testing.T) {
	var diags diag.Diagnostics
	if got := Recall(t.Context(), memoryState{}, &diags); !cmp.Equal(got, Memory{}) || diags.HasError() {
		t.Errorf("%v %v", got, diags)
	}
	if Recall(t.Context(), memoryState{privateStatus: []byte("{")}, &diags); !diags.HasError() {
		t.Error("a damaged private state is read as if it were empty")
	}
}
