package placement

import (
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Status is the observed state of a placement. It has the parts of the CRD's status. Its conditions have no times, which would make every refresh a change.
type Status struct {
	// ObservedResourceIndex counts the versions of the placed content, from "0".
	ObservedResourceIndex string
	// HubUID is the UID of the hub's kube-system namespace; empty if there is no hub.
	HubUID string
	// UID is the UID of the placement on the hub; empty if there is none.
	UID string
	// Removing reports that a removal did not complete: the placement no longer exists, but objects that it placed may still exist.
	Removing bool
	// NotObserved reports that the hub had not observed the last change, so the status may be about an earlier spec.
	NotObserved       bool
	Conditions        []Condition
	SelectedResources []manifest.Identifier
	// Unfilled is the number of clusters that PickN requests and that could not be found. They have no names.
	Unfilled int
	// UnfilledConditions has the reason why each of these clusters was not found, if the hub reports one.
	UnfilledConditions []Condition
	Clusters           map[string]ClusterStatus // by cluster name
}

// Is reports whether a condition of the placement as a whole is True.
func (s Status) Is(conditionType ConditionType) bool { return s.IsOf(conditionType, 0) }

// IsOf is like [Status.Is], but the condition must have been observed for the given generation of the spec, or for a later one.
func (s Status) IsOf(conditionType ConditionType, generation int64) bool {
	return slices.ContainsFunc(s.Conditions, func(c Condition) bool {
		return ShortType(c.Type) == conditionType && c.Status == True && c.ObservedGeneration >= generation
	})
}

// ShortType returns the type of a placement's own condition without the prefix for the scope of the placement.
func ShortType(conditionType string) ConditionType {
	return ConditionType(strings.TrimPrefix(strings.TrimPrefix(conditionType, ClusterResourcePlacementPrefix), ResourcePlacementPrefix))
}

// Condition is a Kubernetes condition without its time.
type Condition struct {
	Type               string
	Status             string
	Reason             string
	Message            string
	ObservedGeneration int64
}

// ClusterStatus is the state of the placement on one cluster.
type ClusterStatus struct {
	// ClusterUID is the UID of the cluster's kube-system namespace; empty if the cluster was never reached.
	ClusterUID            string
	ObservedResourceIndex string
	// Unreachable reports that the cluster is unreachable, so its objects are unknown.
	Unreachable bool
	// Unsigned reports that no apply has signed the placement's record on the cluster yet, so that the record is used without verification.
	Unsigned bool
	// ApplicableClusterResourceOverrides and ApplicableResourceOverrides are the overrides that apply to objects for the cluster.
	ApplicableClusterResourceOverrides []string
	ApplicableResourceOverrides        []NamespacedName
	Conditions                         []Condition
	FailedPlacements                   []FailedPlacement
	// DriftedPlacements are objects that other clients have changed since the last apply. DiffedPlacements are objects that differ from the
	// desired state, under strategy type ReportDiff or because differences block their takeover.
	DriftedPlacements []DriftedPlacement
	DiffedPlacements  []DiffedPlacement
}

// FailedPlacement is an object that is not applied, not available or not compared on a cluster, with the reason.
type FailedPlacement struct {
	manifest.Identifier
	Condition Condition
}

// NamespacedName names an object in a namespace.
type NamespacedName struct{ Namespace, Name string }

// Pending reports whether objects on the cluster differ from the desired state without a known failure. The next apply writes them.
func (s ClusterStatus) Pending() bool {
	condition, found := s.Condition(Applied)
	return found && condition.Status == Unknown && !s.Unreachable
}

// Unavailable returns the objects that are applied but not available.
func (s ClusterStatus) Unavailable() map[manifest.Key]bool {
	out := map[manifest.Key]bool{}
	for _, failed := range s.FailedPlacements {
		if failed.Condition.Type == Available {
			out[failed.Key()] = true
		}
	}
	return out
}

// Behind returns the first condition that is not True for an unknown reason: for example, the member agent does not run. It returns nil if the status contains
// the reason: a failed object, an unreachable cluster, a cluster that was not picked, a rollout that has not reached the cluster, or a failed override. It
// ignores DiffReported, and ignores Available unless waits is true.
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

// DriftedPlacement is an object that another client has changed.
type DriftedPlacement struct {
	manifest.Identifier
	Observation
	ObservedDrifts []PatchDetail
}

// DiffedPlacement is an object on a cluster that differs from the desired state.
type DiffedPlacement struct {
	manifest.Identifier
	Observation
	ObservedDiffs []PatchDetail
}

// Observation has the times at which differences of an object were found.
type Observation struct {
	// ObservationTime is when the current differences were found. FirstObservedTime is when the object was first found to differ; it has differed at
	// every check since then. Both are RFC 3339, in UTC.
	ObservationTime, FirstObservedTime string
	// TargetClusterObservedGeneration is the object's generation; 0 if there is no object, or its kind has no generation.
	TargetClusterObservedGeneration int64
}

// MaxPatchDetails is the maximum number of differences of one object in a status (KubeFleet, pkg/controllers/workapplier).
const MaxPatchDetails = 100

// PatchDetail is a difference in KubeFleet's form. Its path is a JSON pointer with the indexes of lists. Its values are for display, in Go's
// default format. A missing value is empty.
type PatchDetail struct {
	Path          string
	ValueInMember string
	ValueInHub    string
}

// Condition returns the condition of a type, if there is one.
func (s ClusterStatus) Condition(conditionType string) (Condition, bool) {
	for _, c := range s.Conditions {
		if c.Type == conditionType {
			return c, true
		}
	}
	return Condition{}, false
}

// IsScheduled reports whether the cluster was picked.
func (s ClusterStatus) IsScheduled() bool {
	condition, found := s.Condition(Scheduled)
	return found && condition.Status == True
}

// HeldBack returns the condition of a cluster that the rollout has not reached, or nil for other clusters.
func (s ClusterStatus) HeldBack() *Condition {
	condition, found := s.Condition(RolloutStarted)
	if !found || condition.Status != False {
		return nil
	}
	return &condition
}

// HadObjects reports whether the cluster could have objects of the placement when it was last read: it was picked, or its status still has the index of the
// content.
func (s ClusterStatus) HadObjects() bool { return s.IsScheduled() || s.ObservedResourceIndex != "" }

// Counts returns the generation of the spec and the index of the content that the status is about, or zeros if s is nil. The generation is the highest one
// that a condition of the placement has observed.
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
