// Package kubefleetapi contains the names that KubeFleet's API uses: its groups, and the prefixes of its labels, annotations and properties.
package kubefleetapi

// Domain is the DNS domain of KubeFleet's API groups and of its labels and annotations.
const Domain = "kubernetes-fleet.io"

// The API groups: PlacementGroup contains placements, envelopes, overrides, update runs and the objects that the hub creates for them.
// ClusterGroup contains member clusters.
const (
	PlacementGroup = "placement." + Domain
	ClusterGroup   = "cluster." + Domain
)

// AppliedWorkAPIVersion is the API version of the kind AppliedWork. Owner references on members contain this version.
const AppliedWorkAPIVersion = PlacementGroup + "/" + AppliedWorkVersion

// AppliedWorkVersion is the version of [PlacementGroup] in which members serve the kind AppliedWork.
const AppliedWorkVersion = "v1beta1"

// Prefix is the prefix of the keys of labels, annotations, finalizers and cluster properties. ResourcePrefix is the prefix of the properties for a cluster's
// resources.
const (
	Prefix         = Domain + "/"
	ResourcePrefix = "resources." + Domain + "/"
)
