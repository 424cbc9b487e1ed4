// Package v1 has the types of the API group placement.kubernetes-fleet.io that differ between v1 and v1beta1. All other types are the same in v1beta1, except
// for EnvelopeIdentifier, which only a status contains. If a client writes an object in v1, even only a label, the hub drops the fields of v1beta1 that are
// missing here. Hubs do not serve envelopes, evictions, budgets, namespaced snapshots and namespaced bindings in v1.
//
// +groupName=placement.kubernetes-fleet.io
package v1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// GroupVersion is the group and version of the package.
var GroupVersion = schema.GroupVersion{Group: kubefleetapi.PlacementGroup, Version: "v1"}
