package placement

import (
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Status is what came of a placement. It has the parts of the CRD's status, with the clusters keyed by name and without the times,
// which would make every refresh a change.
type Status struct {
	// ObservedResourceIndex counts the contents that were placed, from "0".
	ObservedResourceIndex string
	// HubUID is the UID of the hub's kube-system namespace; empty without a hub.
	HubUID string
	// UID is that of the placement on the hub; empty without one.
	UID string
	// Removing says that a removal was not seen to its end: the placement is gone, and what it has placed may not be.
	Removing bool
	// Unheard says that the hub was not heard to have taken the last change up: what it tells may be about what was before.
	Unheard           bool
	Conditions        []Condition
	SelectedResources []manifest.Identifier
	// Unfilled is how many clusters the policy asks for that have no name, because fewer fit than PickN wants.
	Unfilled int
	// UnfilledConditions say why none was found for each of them, where that is told.
	UnfilledConditions []Condition
	// Clusters is keyed by cluster name.
	Clusters map[string]ClusterStatus
}

// Is tells whether a condition of the placement as a whole is True.
func (s Status) Is(conditionType ConditionType) bool { return s.IsOf(conditionType, 0) }

// IsOf is [Status.Is] for a condition that is told of a generation of the spec, or of a later one.
func (s Status) IsOf(conditionType ConditionType, generation int64) bool {
	return slices.ContainsFunc(s.Conditions, func(c Condition) bool {
		return ShortType(c.Type) == conditionType && c.Status == True && c.ObservedGeneration >= generation
	})
}

// ShortType is the type of a placement's own condition without the prefix that says of which scope the placement is.
func ShortType(conditionType string) ConditionType {
	return ConditionType(strings.TrimPrefix(strings.TrimPrefix(conditionType, ClusterResourcePlacementPrefix), ResourcePlacementPrefix))
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
	// Unreachable says that the cluster does not answer, so that its objects are not known.
	Unreachable bool
	// Unsigned reports that no apply has signed the placement's record on the cluster yet, so that the record is used without verification.
	Unsigned bool
	// ApplicableClusterResourceOverrides and ApplicableResourceOverrides are the overrides that apply to objects for the cluster.
	ApplicableClusterResourceOverrides []string
	ApplicableResourceOverrides        []NamespacedName
	Conditions                         []Condition
	FailedPlacements                   []FailedPlacement
	// DriftedPlacements are objects that others have changed since they were applied; DiffedPlacements those that differ from what is to
	// be placed, under strategy type ReportDiff or because of a takeover that differences stand in the way of.
	DriftedPlacements []DriftedPlacement
	DiffedPlacements  []DiffedPlacement
}

// FailedPlacement is an object that is not applied, or not available, on a cluster, with the reason.
type FailedPlacement struct {
	manifest.Identifier
	Condition Condition
}

// NamespacedName names an object in a namespace.
type NamespacedName struct{ Namespace, Name string }

// Pending tells whether objects of the cluster are not as they are to be placed, and nothing is known to have failed: the next apply writes
// them.
func (s ClusterStatus) Pending() bool {
	condition, found := s.Condition(Applied)
	return found && condition.Status == Unknown && !s.Unreachable
}

// Unavailable returns the objects that are applied and not available.
func (s ClusterStatus) Unavailable() map[manifest.Key]bool {
	out := map[manifest.Key]bool{}
	for _, failed := range s.FailedPlacements {
		if failed.Condition.Type == Available {
			out[failed.Key()] = true
		}
	}
	return out
}

// Behind is the first condition of a cluster that has not come true although nothing that is told stands in the way: a member's agent that does not
// run says nothing of its objects. waits says that the objects are to be available, too. It is nil for a cluster that is through, and for one of
// which more is known: an object that failed, a rollout that has not come to it, an override, or that it does not answer.
func (s ClusterStatus) Behind(waits bool) *Condition {
	if s.Unreachable || len(s.FailedPlacements) > 0 {
		return nil
	}
	for _, conditionType := range conditionTypes {
		condition, found := s.Condition(conditionType)
		switch {
		case !found, condition.Status == True, conditionType == DiffReported, conditionType == Available && !waits:
		case conditionType == Scheduled, condition.Status == False && (conditionType == RolloutStarted || conditionType == Overridden):
			return nil
		default:
			return &condition
		}
	}
	return nil
}

// DriftedPlacement is an object that somebody else has changed.
type DriftedPlacement struct {
	manifest.Identifier
	Observation
	ObservedDrifts []PatchDetail
}

// DiffedPlacement is an object on a cluster that differs from what is to be placed.
type DiffedPlacement struct {
	manifest.Identifier
	Observation
	ObservedDiffs []PatchDetail
}

// Observation says when an object was found to be different.
type Observation struct {
	// ObservationTime is when the differences were found as they are told, FirstObservedTime when any were found first without a time
	// between at which there were none. Both are RFC 3339, in UTC.
	ObservationTime, FirstObservedTime string
	// TargetClusterObservedGeneration is the object's generation; 0 if there is no object, or its kind counts none.
	TargetClusterObservedGeneration int64
}

// MaxPatchDetails is how many differences of one object a status holds (KubeFleet, pkg/controllers/workapplier).
const MaxPatchDetails = 100

// PatchDetail is a difference in KubeFleet's form: its path is a JSON pointer with the indexes of lists, its values are texts as Go's
// default format has them, for reading only. A value that is not there is empty.
type PatchDetail struct {
	Path          string
	ValueInMember string
	ValueInHub    string
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

// IsScheduled tells whether the cluster was picked.
func (s ClusterStatus) IsScheduled() bool {
	condition, found := s.Condition(Scheduled)
	return found && condition.Status == True
}

// HeldBack is the condition of a cluster that the rollout has not come to; nil for others.
func (s ClusterStatus) HeldBack() *Condition {
	condition, found := s.Condition(RolloutStarted)
	if !found || condition.Status != False {
		return nil
	}
	return &condition
}

// HadObjects tells whether the cluster had objects of the placement when it was seen last: it was picked, or it was no longer and could not
// be reached to remove them.
func (s ClusterStatus) HadObjects() bool { return s.IsScheduled() || s.ObservedResourceIndex != "" }

// Counts returns the generation of the spec and the index of the content that the status is about; zeros for nil.
func (s *Status) Counts() (generation, index int64) {
	if s == nil {
		return 0, 0
	}
	for _, condition := range s.Conditions {
		generation = max(generation, condition.ObservedGeneration)
	}
	index, _ = strconv.ParseInt(s.ObservedResourceIndex, 10, 64)
	return generation, index
}
