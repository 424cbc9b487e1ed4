package placement

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
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
		if diff := cmp.Diff(spec, back) + cmp.Diff(manifests, backManifests); diff != "" || diags.HasError() {
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
	for range rounds {
		var diags diag.Diagnostics
		m := Model{
			Arguments: Arguments{
				ResourceSelectors: convert.List(t.Context(), selectorsAttribute(), arbitrary.Value[[]selectorModel](g), &diags),
				Policy:            convert.Object(t.Context(), policyAttribute(), arbitrary.Value[*policyModel](g), &diags),
				Strategy:          convert.Object(t.Context(), strategyAttribute(), canonical(arbitrary.Value[*strategyModel](g), g), &diags),
				Manifests:         convert.Map(t.Context(), manifestsAttribute(), map[string]string{"a": "b"}, &diags),
			},
			RevisionHistoryLimit: types.Int32PointerValue(arbitrary.Value[*int32](g)),
			ManifestsMasked:      types.MapNull(yamltext.MaskedType), // follows from the others
			StatusReportingScope: convert.String(arbitrary.Value[domain.ReportingScope](g)),
		}
		spec, manifests := m.Expand(t.Context(), &diags)
		back := Model{ManifestsMasked: m.ManifestsMasked}
		back.setSpec(t.Context(), spec, manifests, &diags)
		if diff := cmp.Diff(m, back); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never tried: %v", unseen)
	}
}

// canonical has a comparison option in the API's spelling: of another one the meaning comes back, and Read keeps what the user wrote.
func canonical(s *strategyModel, g *arbitrary.Generator) *strategyModel {
	if s != nil && s.ApplyStrategy != nil {
		s.ApplyStrategy.ComparisonOption = convert.Optional(string(arbitrary.Value[domain.ComparisonOption](g)))
	}
	return s
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

// Terraform tells no list that is empty from none in a status, and keeps conditions by their type.
func TestStatusRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range rounds {
		status := arbitrary.Value[domain.Status](g)
		status.Conditions = byType(status.Conditions)
		for name, cluster := range status.Clusters {
			cluster.Conditions = byType(cluster.Conditions)
			status.Clusters[name] = cluster
		}
		var diags diag.Diagnostics
		var m Model
		m.setStatus(t.Context(), status, &diags)
		back := m.status(t.Context(), &diags)
		if diff := cmp.Diff(&status, back, cmpopts.EquateEmpty()); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
		var again Model
		again.setStatus(t.Context(), *back, &diags)
		if diff := cmp.Diff(m.Status, again.Status); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
}

// byType has one condition of each type, in order.
func byType(in []domain.Condition) []domain.Condition {
	compare := func(a, b domain.Condition) int { return strings.Compare(a.Type, b.Type) }
	slices.SortFunc(in, compare)
	return slices.CompactFunc(in, func(a, b domain.Condition) bool { return compare(a, b) == 0 })
}

func TestNoStatus(t *testing.T) {
	var diags diag.Diagnostics
	for name, status := range map[string]types.Object{
		"null": convert.Object[statusModel](t.Context(), statusAttribute(), nil, &diags), "unknown": convert.UnknownObject(statusAttribute()),
	} {
		if got := (Model{Status: status}).status(t.Context(), &diags); got != nil || diags.HasError() {
			t.Errorf("%s: %v %v", name, got, diags)
		}
	}
}
