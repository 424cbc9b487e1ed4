// Package v1alpha1 has the fields of the API group core.kubeadmiral.io that the provider reads and writes.
//
// Omitted fields are zero and are not written, except the switches of a policy, for which false differs from an absent field. The markers are those of the
// published CustomResourceDefinitions, because the CustomResourceDefinitions of the tests are generated from them. Values of enumerations are plain strings
// here.
//
// +groupName=core.kubeadmiral.io
// +versionName=v1alpha1
package v1alpha1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is the group and version of the package.
var GroupVersion = schema.GroupVersion{Group: "core.kubeadmiral.io", Version: "v1alpha1"}

// The kinds of the group.
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
