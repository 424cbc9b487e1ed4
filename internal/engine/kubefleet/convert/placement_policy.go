package convert

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func fromPolicy(p placement.Policy) v1beta1.PlacementPolicy {
	return v1beta1.PlacementPolicy{
		PlacementType: string(p.PlacementType), ClusterNames: slices.Clone(p.ClusterNames), NumberOfClusters: p.NumberOfClusters,
		Affinity:                  maybe(p.Affinity, fromAffinity),
		TopologySpreadConstraints: each(p.TopologySpreadConstraints, fromConstraint),
		Tolerations: each(p.Tolerations, func(t placement.Toleration) v1beta1.Toleration {
			return v1beta1.Toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect)}
		}),
	}
}

func toPolicy(p v1beta1.PlacementPolicy) placement.Policy {
	return placement.Policy{
		PlacementType: placement.PlacementType(p.PlacementType), ClusterNames: slices.Clone(p.ClusterNames), NumberOfClusters: p.NumberOfClusters,
		Affinity:                  maybe(p.Affinity, toAffinity),
		TopologySpreadConstraints: each(p.TopologySpreadConstraints, toConstraint),
		Tolerations: each(p.Tolerations, func(t v1beta1.Toleration) placement.Toleration {
			return placement.Toleration{
				Key: t.Key, Operator: placement.TolerationOperator(t.Operator), Value: t.Value, Effect: placement.TaintEffect(t.Effect),
			}
		}),
	}
}

func fromAffinity(a placement.Affinity) v1beta1.Affinity {
	return v1beta1.Affinity{ClusterAffinity: maybe(a.ClusterAffinity, func(c placement.ClusterAffinity) v1beta1.ClusterAffinity {
		return v1beta1.ClusterAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: maybe(c.Required, func(s placement.ClusterSelector) v1beta1.ClusterSelector {
				return v1beta1.ClusterSelector{ClusterSelectorTerms: all(s.ClusterSelectorTerms, fromTerm)}
			}),
			PreferredDuringSchedulingIgnoredDuringExecution: each(c.Preferred, func(p placement.PreferredClusterSelector) v1beta1.PreferredClusterSelector {
				return v1beta1.PreferredClusterSelector{Weight: p.Weight, Preference: fromTerm(p.Preference)}
			}),
		}
	})}
}

func toAffinity(a v1beta1.Affinity) placement.Affinity {
	return placement.Affinity{ClusterAffinity: maybe(a.ClusterAffinity, func(c v1beta1.ClusterAffinity) placement.ClusterAffinity {
		return placement.ClusterAffinity{
			Required: maybe(c.RequiredDuringSchedulingIgnoredDuringExecution, func(s v1beta1.ClusterSelector) placement.ClusterSelector {
				return placement.ClusterSelector{ClusterSelectorTerms: all(s.ClusterSelectorTerms, toTerm)}
			}),
			Preferred: each(c.PreferredDuringSchedulingIgnoredDuringExecution, func(p v1beta1.PreferredClusterSelector) placement.PreferredClusterSelector {
				return placement.PreferredClusterSelector{Weight: p.Weight, Preference: toTerm(p.Preference)}
			}),
		}
	})}
}

func fromTerm(t placement.ClusterSelectorTerm) v1beta1.ClusterSelectorTerm {
	return v1beta1.ClusterSelectorTerm{
		LabelSelector: t.LabelSelector.DeepCopy(),
		PropertySelector: maybe(t.PropertySelector, func(s placement.PropertySelector) v1beta1.PropertySelector {
			return v1beta1.PropertySelector{MatchExpressions: all(s.MatchExpressions, func(e placement.PropertyExpression) v1beta1.PropertySelectorRequirement {
				return v1beta1.PropertySelectorRequirement{Name: e.Name, Operator: string(e.Operator), Values: all(e.Values, same)}
			})}
		}),
		PropertySorter: maybe(t.PropertySorter, func(s placement.PropertySorter) v1beta1.PropertySorter {
			return v1beta1.PropertySorter{Name: s.Name, SortOrder: string(s.SortOrder)}
		}),
	}
}

func toTerm(t v1beta1.ClusterSelectorTerm) placement.ClusterSelectorTerm {
	return placement.ClusterSelectorTerm{
		LabelSelector: t.LabelSelector.DeepCopy(),
		PropertySelector: maybe(t.PropertySelector, func(s v1beta1.PropertySelector) placement.PropertySelector {
			return placement.PropertySelector{MatchExpressions: all(s.MatchExpressions, func(e v1beta1.PropertySelectorRequirement) placement.PropertyExpression {
				return placement.PropertyExpression{Name: e.Name, Operator: placement.PropertyOperator(e.Operator), Values: all(e.Values, same)}
			})}
		}),
		PropertySorter: maybe(t.PropertySorter, func(s v1beta1.PropertySorter) placement.PropertySorter {
			return placement.PropertySorter{Name: s.Name, SortOrder: placement.SortOrder(s.SortOrder)}
		}),
	}
}

func fromConstraint(c placement.TopologySpreadConstraint) v1beta1.TopologySpreadConstraint {
	return v1beta1.TopologySpreadConstraint{MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: string(c.WhenUnsatisfiable)}
}

func toConstraint(c v1beta1.TopologySpreadConstraint) placement.TopologySpreadConstraint {
	return placement.TopologySpreadConstraint{
		MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: placement.WhenUnsatisfiable(c.WhenUnsatisfiable),
	}
}

func same[T any](value T) T { return value }
