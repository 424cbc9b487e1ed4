// Package v1 has the types that differ in version v1 of the API group placement.kubernetes-fleet.io: the hub drops fields of v1beta1 that are missing here
// from an object that is written through v1, even if another client only labels it. Everything else is the same as in v1beta1. Envelopes, evictions and
// budgets are not served in v1, and neither are snapshots and bindings in namespaces.
//
// +groupName=placement.kubernetes-fleet.io
package v1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// GroupVersion is the group and version of the package.
var GroupVersion = schema.GroupVersion{Group: kubefleetapi.PlacementGroup, Version: "v1"}
