// Package placement has the types of a placement: the objects to place, the clusters, the strategy, and the resulting status.
//
// Spec and Status have the fields, names and defaults of KubeFleet's ClusterResourcePlacement (API version
// placement.kubernetes-fleet.io/v1beta1), so KubeFleet's documentation applies to them. Both also have a few fields of the provider's own. A Spec is
// stored as the user wrote it, without defaults. [Spec.Defaulted] returns the effective spec.
package placement
