// Package v1beta1 has the fields of the API group cluster.kubernetes-fleet.io that the provider reads and writes, in the version that KubeFleet
// stores.
//
// Optional fields are not written if they are zero. The markers are those of the published CustomResourceDefinitions, because the CustomResourceDefinitions of
// the tests are generated from them. Values of enumerations are plain strings here; their types are in internal/fleet.
//
// +groupName=cluster.kubernetes-fleet.io
package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// GroupVersion is the group and version of the package.
var GroupVersion = schema.GroupVersion{Group: kubefleetapi.ClusterGroup, Version: "v1beta1"}

// MemberClusterKind is a kind of the group.
const MemberClusterKind = "MemberCluster"
