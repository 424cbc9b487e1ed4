package convert

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// FromClusterOverride encodes the spec of an override of cluster-scoped objects.
func FromClusterOverride(s override.ClusterSpec) v1beta1.ClusterResourceOverrideSpec {
	return v1beta1.ClusterResourceOverrideSpec{
		Placement: maybe(s.Placement, fromPlacementReference), Policy: fromOverridePolicy(s.Policy),
		ClusterResourceSelectors: all(s.ClusterResourceSelectors, fromResourceSelector),
	}
}

// ToClusterOverride decodes the spec of an override of cluster-scoped objects.
func ToClusterOverride(s v1beta1.ClusterResourceOverrideSpec) override.ClusterSpec {
	return override.ClusterSpec{
		Placement: maybe(s.Placement, toPlacementReference), Policy: toOverridePolicy(s.Policy),
		ClusterResourceSelectors: each(s.ClusterResourceSelectors, toResourceSelector),
	}
}

// FromOverride encodes the spec of an override of objects in its namespace.
func FromOverride(s override.Spec) v1beta1.ResourceOverrideSpec {
	return v1beta1.ResourceOverrideSpec{
		Placement: maybe(s.Placement, fromPlacementReference), Policy: fromOverridePolicy(s.Policy),
		ResourceSelectors: all(s.ResourceSelectors, func(s override.Selector) v1beta1.ObjectSelector { return v1beta1.ObjectSelector(s) }),
	}
}

// ToOverride decodes the spec of an override of objects in its namespace.
func ToOverride(s v1beta1.ResourceOverrideSpec) override.Spec {
	return override.Spec{
		Placement: maybe(s.Placement, toPlacementReference), Policy: toOverridePolicy(s.Policy),
		ResourceSelectors: each(s.ResourceSelectors, func(s v1beta1.ObjectSelector) override.Selector { return override.Selector(s) }),
	}
}

func fromPlacementReference(r override.PlacementReference) v1beta1.PlacementRef {
	return v1beta1.PlacementRef{Name: r.Name, Scope: string(r.Scope)}
}

func toPlacementReference(r v1beta1.PlacementRef) override.PlacementReference {
	return override.PlacementReference{Name: r.Name, Scope: override.Scope(r.Scope)}
}

func fromOverridePolicy(p *override.Policy) v1beta1.OverridePolicy {
	if p == nil {
		p = &override.Policy{}
	}
	return v1beta1.OverridePolicy{OverrideRules: all(p.OverrideRules, func(r override.Rule) v1beta1.OverrideRule {
		return v1beta1.OverrideRule{
			ClusterSelector: maybe(r.ClusterSelector, func(s override.ClusterSelector) v1beta1.ClusterSelector {
				return v1beta1.ClusterSelector{ClusterSelectorTerms: all(s.ClusterSelectorTerms, fromTerm)}
			}),
			OverrideType: string(r.OverrideType),
			JSONPatchOverrides: each(r.JSONPatchOverrides, func(p override.Patch) v1beta1.JSONPatchOverride {
				return v1beta1.JSONPatchOverride{Operator: string(p.Operation), Path: p.Path, Value: slices.Clone(p.Value)}
			}),
		}
	})}
}

func toOverridePolicy(p v1beta1.OverridePolicy) *override.Policy {
	return &override.Policy{OverrideRules: each(p.OverrideRules, func(r v1beta1.OverrideRule) override.Rule {
		return override.Rule{
			ClusterSelector: maybe(r.ClusterSelector, func(s v1beta1.ClusterSelector) override.ClusterSelector {
				return override.ClusterSelector{ClusterSelectorTerms: all(s.ClusterSelectorTerms, toTerm)}
			}),
			OverrideType: override.Type(r.OverrideType),
			JSONPatchOverrides: each(r.JSONPatchOverrides, func(p v1beta1.JSONPatchOverride) override.Patch {
				return override.Patch{Operation: override.Operation(p.Operator), Path: p.Path, Value: slices.Clone(p.Value)}
			}),
		}
	})}
}
