// Package v1beta1 contains the kinds of placement.kubernetes-fleet.io/v1beta1 for which the provider has no type of its own: it reads them as the
// cluster-scoped kind with the same fields, or not at all. The definitions on test clusters are generated from these kinds and from those of
// internal/engine/kubefleet/api.
//
// +groupName=placement.kubernetes-fleet.io
package v1beta1
