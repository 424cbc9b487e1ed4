// Package v1alpha1 has the fields of the API group core.kubeadmiral.io that the provider reads and writes.
//
// Fields that were left out are zero and are not written, but for the switches of a policy, whose zero means something else than none. The
// markers are those of the published definitions: the definitions of the tests are generated from them. Values of enumerations are plain texts
// here.
//
// +groupName=core.kubeadmiral.io
// +versionName=v1alpha1
package v1alpha1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is the group and version of the package.
var GroupVersion = schema.GroupVersion{Group: "core.kubeadmiral.io", Version: "v1alpha1"}

// Kinds of the group.
const (
	FederatedClusterKind         = "FederatedCluster"
	PropagationPolicyKind        = "PropagationPolicy"
	ClusterPropagationPolicyKind = "ClusterPropagationPolicy"
	FederatedObjectKind          = "FederatedObject"
	ClusterFederatedObjectKind   = "ClusterFederatedObject"
	CollectedStatusKind          = "CollectedStatus"
	ClusterCollectedStatusKind   = "ClusterCollectedStatus"
	FederatedTypeConfigKind      = "FederatedTypeConfig"
	PropagatedVersionKind        = "PropagatedVersion"
)
