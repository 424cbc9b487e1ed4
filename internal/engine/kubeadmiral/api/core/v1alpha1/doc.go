// Package v1alpha1 has the fields of the API group core.kubeadmiral.io that the provider reads and writes.
//
// Optional fields are not written if they are zero, except the booleans of ReschedulePolicy and RescheduleWhen: the default of policyContentChanged is true.
// The markers are those of the published CustomResourceDefinitions, because the CustomResourceDefinitions of the tests are generated from them.
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
