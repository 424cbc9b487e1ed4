package override

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// MaxOverrides is the maximum number of ClusterResourceOverrides, and of ResourceOverrides in a namespace.
const MaxOverrides = 100

// ConflictsCluster lists the rules of the validating webhook that a ClusterResourceOverride breaks in combination with the others: two
// overrides must not select the same object, and a new one must not exceed the limit. others may include an older version of the override
// itself.
func ConflictsCluster(o ClusterResourceOverride, others []ClusterResourceOverride) []placement.Problem {
	var v validator
	path := placement.At("cluster_resource_selectors")
	if isNew := !slices.ContainsFunc(others, func(other ClusterResourceOverride) bool { return other.Name == o.Name }); isNew && len(others) >= MaxOverrides {
		v.add(path, "there are %d ClusterResourceOverrides, and there can be at most %d", len(others), MaxOverrides)
	}
	for i, s := range o.Spec.ClusterResourceSelectors {
		for _, other := range others {
			if other.Name != o.Name && slices.ContainsFunc(other.Spec.ClusterResourceSelectors, func(t placement.ResourceSelector) bool {
				return withScope(t) == withScope(s)
			}) {
				v.add(path.Index(i), "the object is already selected by %s, and only one can select it", Reference{Name: other.Name})
			}
		}
	}
	return v.problems
}

// Conflicts lists the rules of the validating webhook that a ResourceOverride breaks in combination with the others in its namespace: two
// overrides must not select the same object, and a new one must not exceed the limit. others may include overrides in other namespaces, and an
// older version of the override itself.
func Conflicts(o ResourceOverride, others []ResourceOverride) []placement.Problem {
	var v validator
	path := placement.At("resource_selectors")
	others = slices.DeleteFunc(slices.Clone(others), func(other ResourceOverride) bool { return other.Namespace != o.Namespace })
	if isNew := !slices.ContainsFunc(others, func(other ResourceOverride) bool { return other.Name == o.Name }); isNew && len(others) >= MaxOverrides {
		v.add(path, "there are %d ResourceOverrides in namespace %s, and there can be at most %d", len(others), o.Namespace, MaxOverrides)
	}
	for i, s := range o.Spec.ResourceSelectors {
		for _, other := range others {
			if other.Name != o.Name && slices.Contains(other.Spec.ResourceSelectors, s) {
				v.add(path.Index(i), "the object is already selected by %s, and only one can select it",
					Reference{Namespace: other.Namespace, Name: other.Name})
			}
		}
	}
	return v.problems
}
