// Package v1 has what is different in version v1 of the API group cluster.kubernetes-fleet.io: fields of v1beta1 that are missing here are
// dropped from an object that is written through v1, also when somebody else only labels it. Everything else is v1beta1's.
//
// +groupName=cluster.kubernetes-fleet.io
package v1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// GroupVersion is the group and version of the package.
var GroupVersion = schema.GroupVersion{Group: kubefleetapi.ClusterGroup, Version: "v1"}
