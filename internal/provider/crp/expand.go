package crp

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// known tells whether everything is known that a placement is decided by.
func (m model) known(ctx context.Context) bool {
	for _, value := range []attr.Value{
		m.Name, m.ResourceSelectors, m.Manifests, m.Policy, m.Strategy, m.RevisionHistoryLimit, m.StatusReportingScope, m.Wait, m.OnTakeoverConflict,
	} {
		if raw, err := value.ToTerraformValue(ctx); err != nil || !raw.IsFullyKnown() {
			return false
		}
	}
	return true
}

// expand turns the model into the domain's value. Everything must be known.
func (m model) expand(ctx context.Context, diags *diag.Diagnostics) (placement.Spec, map[string]string) {
	var spec placement.Spec
	if !m.ResourceSelectors.IsNull() {
		var selectors []selectorModel
		diags.Append(m.ResourceSelectors.ElementsAs(ctx, &selectors, false)...)
		spec.ResourceSelectors = each(selectors, selectorModel.expand)
	}
	if !m.Policy.IsNull() {
		var policy policyModel
		diags.Append(m.Policy.As(ctx, &policy, basetypes.ObjectAsOptions{})...)
		spec.Policy = policy.expand()
	}
	if !m.Strategy.IsNull() {
		var strategy strategyModel
		diags.Append(m.Strategy.As(ctx, &strategy, basetypes.ObjectAsOptions{})...)
		spec.Strategy = strategy.expand()
	}
	if !m.RevisionHistoryLimit.IsNull() {
		spec.RevisionHistoryLimit = m.RevisionHistoryLimit.ValueInt32Pointer()
	}
	spec.StatusReportingScope = m.StatusReportingScope.ValueString()
	var manifests map[string]string
	if !m.Manifests.IsNull() {
		diags.Append(m.Manifests.ElementsAs(ctx, &manifests, false)...)
	}
	return spec, manifests
}

// wait returns what an apply waits for and what a failure is; onFailure is empty if it was left out.
func (m model) wait(ctx context.Context, diags *diag.Diagnostics) (untilAvailable bool, onFailure string) {
	if m.Wait.IsNull() || m.Wait.IsUnknown() {
		return true, ""
	}
	var w waitModel
	diags.Append(m.Wait.As(ctx, &w, basetypes.ObjectAsOptions{})...)
	return text(w.Until) != "Applied", text(w.OnFailure)
}

func (m selectorModel) expand() placement.ResourceSelector {
	return placement.ResourceSelector{
		Group: m.Group, Version: m.Version, Kind: m.Kind, Name: text(m.Name), LabelSelector: m.LabelSelector.expand(),
		SelectionScope: placement.SelectionScope(text(m.SelectionScope)),
	}
}

func (m *labelSelectorModel) expand() *metav1.LabelSelector {
	if m == nil {
		return nil
	}
	return &metav1.LabelSelector{
		MatchLabels: m.MatchLabels,
		MatchExpressions: each(m.MatchExpressions, func(e expressionModel) metav1.LabelSelectorRequirement {
			return metav1.LabelSelectorRequirement{Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values}
		}),
	}
}

func (m policyModel) expand() *placement.Policy {
	return &placement.Policy{
		PlacementType: placement.PlacementType(text(m.PlacementType)), ClusterNames: m.ClusterNames,
		NumberOfClusters: m.NumberOfClusters, Affinity: m.Affinity.expand(),
		TopologySpreadConstraints: each(m.TopologySpreadConstraints, func(c spreadModel) placement.TopologySpreadConstraint {
			return placement.TopologySpreadConstraint{MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: text(c.WhenUnsatisfiable)}
		}),
		Tolerations: each(m.Tolerations, func(t tolerationModel) placement.Toleration {
			return placement.Toleration{Key: text(t.Key), Operator: text(t.Operator), Value: text(t.Value), Effect: text(t.Effect)}
		}),
	}
}

func (m *affinityModel) expand() *placement.Affinity {
	if m == nil {
		return nil
	}
	out := &placement.Affinity{}
	if c := m.ClusterAffinity; c != nil {
		out.ClusterAffinity = &placement.ClusterAffinity{
			Preferred: each(c.Preferred, func(p preferredModel) placement.PreferredClusterSelector {
				return placement.PreferredClusterSelector{Weight: p.Weight, Preference: p.Preference.expand()}
			}),
		}
		if c.Required != nil {
			out.ClusterAffinity.Required = &placement.ClusterSelector{ClusterSelectorTerms: each(c.Required.ClusterSelectorTerms, termModel.expand)}
		}
	}
	return out
}

func (m termModel) expand() placement.ClusterSelectorTerm {
	out := placement.ClusterSelectorTerm{LabelSelector: m.LabelSelector.expand()}
	if p := m.PropertySelector; p != nil {
		out.PropertySelector = &placement.PropertySelector{
			MatchExpressions: each(p.MatchExpressions, func(e propertyExpressionModel) placement.PropertyExpression {
				return placement.PropertyExpression(e)
			}),
		}
	}
	if s := m.PropertySorter; s != nil {
		out.PropertySorter = &placement.PropertySorter{Name: s.Name, SortOrder: s.SortOrder}
	}
	return out
}

func (m strategyModel) expand() *placement.Strategy {
	out := &placement.Strategy{Type: placement.StrategyType(text(m.Type))}
	if r := m.RollingUpdate; r != nil {
		out.RollingUpdate = &placement.RollingUpdate{
			MaxUnavailable: text(r.MaxUnavailable), MaxSurge: text(r.MaxSurge), UnavailablePeriodSeconds: r.UnavailablePeriodSeconds,
		}
	}
	if a := m.ApplyStrategy; a != nil {
		comparison, _ := placement.ParseComparisonOption(text(a.ComparisonOption))
		out.ApplyStrategy = &placement.ApplyStrategy{
			Type: placement.ApplyType(text(a.Type)), ComparisonOption: comparison, WhenToApply: placement.WhenToApply(text(a.WhenToApply)),
			WhenToTakeOver: placement.WhenToTakeOver(text(a.WhenToTakeOver)), AllowCoOwnership: a.AllowCoOwnership,
		}
		if s := a.ServerSideApplyConfig; s != nil {
			out.ApplyStrategy.ServerSideApplyConfig = &placement.ServerSideApplyConfig{Force: s.Force}
		}
	}
	if d := m.DeleteStrategy; d != nil {
		out.DeleteStrategy = &placement.DeleteStrategy{PropagationPolicy: placement.DeletePropagation(text(d.PropagationPolicy))}
	}
	if r := m.ReportBackStrategy; r != nil {
		out.ReportBackStrategy = &placement.ReportBackStrategy{Type: text(r.Type), Destination: text(r.Destination)}
	}
	return out
}

// each keeps nil apart from empty, as the configuration does.
func each[A, B any](in []A, convert func(A) B) []B {
	if in == nil {
		return nil
	}
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = convert(a)
	}
	return out
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
