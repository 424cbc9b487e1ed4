package placement

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"

// Status is what came of a placement. It has the parts of the CRD's status, with the clusters keyed by name and without the times,
// which would make every refresh a change.
type Status struct {
	// ObservedResourceIndex counts the contents that were placed, from "0".
	ObservedResourceIndex string
	// HubUID is the UID of the hub's kube-system namespace; empty without a hub.
	HubUID            string
	Conditions        []Condition
	SelectedResources []manifest.Identifier
	// Clusters is keyed by cluster name.
	Clusters map[string]ClusterStatus
}

// Condition is a Kubernetes condition without its time.
type Condition struct {
	Type string
	// Status is True, False or Unknown.
	Status             string
	Reason             string
	Message            string
	ObservedGeneration int64
}

// ClusterStatus is the state of the placement on one cluster.
type ClusterStatus struct {
	// ClusterUID is the UID of the cluster's kube-system namespace; empty when it was never reached.
	ClusterUID            string
	ObservedResourceIndex string
	Conditions            []Condition
	FailedPlacements      []FailedPlacement
}

// FailedPlacement is an object that is not applied, or not available, on a cluster, with the reason.
type FailedPlacement struct {
	manifest.Identifier
	Condition Condition
}

// Condition returns the condition of a type, if it is there.
func (s ClusterStatus) Condition(conditionType string) (Condition, bool) {
	for _, c := range s.Conditions {
		if c.Type == conditionType {
			return c, true
		}
	}
	return Condition{}, false
}
