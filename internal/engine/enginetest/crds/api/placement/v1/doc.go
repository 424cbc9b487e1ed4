// Package v1 contains the kinds of placement.kubernetes-fleet.io/v1 that the provider does not use in this version. The definitions on test clusters
// are generated from these kinds and from those of internal/engine/kubefleet/api, because hubs serve the kinds in this version too.
//
// +groupName=placement.kubernetes-fleet.io
package v1
