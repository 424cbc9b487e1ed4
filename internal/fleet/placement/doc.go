// Package placement holds the noun the provider is about: what to place, where, how, and what came of it.
//
// Spec and Status have the fields, names and defaults of KubeFleet's ClusterResourcePlacement (API version
// placement.kubernetes-fleet.io/v1beta1), so that its documentation applies word for word. A Spec is kept as the user wrote it: what
// was left out stays left out, and [Spec.Defaulted] gives the effective one.
package placement
