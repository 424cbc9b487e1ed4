package placement

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// ConditionType is a condition type without the prefix that names the kind of the placement: "Applied" for "ClusterResourcePlacementApplied".
type ConditionType string

// Condition types of a cluster. The placement's own types have the prefix [ClusterResourcePlacementPrefix] or [ResourcePlacementPrefix].
const (
	Scheduled        = "Scheduled"
	RolloutStarted   = "RolloutStarted"
	Overridden       = "Overridden"
	WorkSynchronized = "WorkSynchronized"
	Applied          = "Applied"
	Available        = "Available"
	// DiffReported replaces Applied and Available under strategy type ReportDiff.
	DiffReported = "DiffReported"

	// ClusterResourcePlacementPrefix is the prefix of the condition types of a cluster-scoped placement as a whole, ResourcePlacementPrefix
	// that of a namespaced one.
	ClusterResourcePlacementPrefix = "ClusterResourcePlacement"
	ResourcePlacementPrefix        = "ResourcePlacement"
)

// conditionTypes are in the order in which they become True. KubeFleet stops at the first type that is not True and omits the later ones.
var conditionTypes = []string{Scheduled, RolloutStarted, Overridden, WorkSynchronized, Applied, Available, DiffReported}

// SyncedTypes returns the condition types of a cluster between Scheduled and Applied: they become True before a member agent writes the objects.
func SyncedTypes() []string { return []string{RolloutStarted, Overridden, WorkSynchronized} }

// Values lists the values in the order in which the conditions become True.
func (ConditionType) Values() []string { return slices.Clone(conditionTypes) }

const (
	True    = "True"
	False   = "False"
	Unknown = "Unknown"
)

// ClusterOutcome is the state of one cluster from which its conditions are derived.
type ClusterOutcome struct {
	Name, UID string
	// Scheduled reports whether the cluster was picked; Reason is why or why not.
	Scheduled bool
	Reason    string
	// Unreachable is the reason why the cluster could not be reached, so that its objects are unknown; empty if it was reached.
	Unreachable string
	// Held is the condition of a cluster that the rollout has not reached; see [NotStarted].
	Held *Condition
	// ClusterResourceOverrides and ResourceOverrides apply to objects for the cluster. OverrideFailed is the reason why one of them could not be
	// applied. In this case, no object is written to the cluster.
	ClusterResourceOverrides []string
	ResourceOverrides        []NamespacedName
	OverrideFailed           string
	// ResourceIndex is the index of the content on the cluster.
	ResourceIndex string
	// Objects is the number of objects for the cluster. Failed are those that are not applied, Waiting those that are applied but not yet available.
	// Untracked is the number of objects whose availability cannot be determined. Pending is the number of objects that differ from the desired state
	// and are not in Failed: the next apply writes them.
	Objects   int
	Failed    []FailedPlacement
	Waiting   []FailedPlacement
	Untracked int
	Pending   int
	// Reporting reports whether the strategy type is ReportDiff: nothing is applied, and Failed are the objects that could not be compared.
	Reporting bool
	Drifted   []DriftedPlacement
	Diffed    []DiffedPlacement
}

// NotStarted returns the condition of a cluster that the rollout has not reached, with the reason in its message.
func NotStarted(why string) *Condition {
	return &Condition{
		Type: RolloutStarted, Status: False, Reason: string(PhaseRolloutNotStarted), Message: "The rollout is being blocked by the rollout strategy: " + why,
	}
}

// NewClusterStatus derives the status of a cluster. The reasons are KubeFleet's (pkg/utils/condition). Some messages differ, because KubeFleet's
// contain the names of Work objects, which some engines do not have.
func NewClusterStatus(o ClusterOutcome, generation int64) ClusterStatus {
	status := ClusterStatus{
		ClusterUID: o.UID, ObservedResourceIndex: o.ResourceIndex, Unreachable: o.Unreachable != "",
		ApplicableClusterResourceOverrides: o.ClusterResourceOverrides, ApplicableResourceOverrides: o.ResourceOverrides,
		DriftedPlacements: truncate(o.Drifted), DiffedPlacements: truncate(o.Diffed),
	}
	add := func(conditionType, value, reason, message string) {
		status.Conditions = append(status.Conditions, Condition{
			Type: conditionType, Status: value, Reason: reason, Message: message, ObservedGeneration: generation,
		})
	}
	if !o.Scheduled {
		add(Scheduled, False, string(PhaseScheduleFailed), o.Reason)
		o.addUnreachable(add) // the cluster may still have objects
		return status
	}
	add(Scheduled, True, "Scheduled", o.Reason)
	if o.Held != nil {
		add(o.Held.Type, o.Held.Status, o.Held.Reason, o.Held.Message)
		return status
	}
	add(RolloutStarted, True, "RolloutStarted", "Detected the new changes on the resources and started the rollout process")
	switch {
	case o.OverrideFailed != "":
		add(Overridden, False, string(PhaseOverriddenFailed), "Failed to apply the override rules on the resources: "+o.OverrideFailed)
		return status
	case len(o.ClusterResourceOverrides)+len(o.ResourceOverrides) > 0:
		add(Overridden, True, "OverriddenSucceeded", "Successfully applied the override rules on the resources")
	default:
		add(Overridden, True, "NoOverrideSpecified", "No override rules are configured for the selected resources")
	}
	add(WorkSynchronized, True, "AllWorkSynced", "All of the works are synchronized to the latest")
	if o.Reporting {
		o.addDiffReported(add)
		status.FailedPlacements = o.Failed
		return status
	}
	if o.Unreachable != "" {
		o.addUnreachable(add)
		return status
	}
	if len(o.Failed) > 0 {
		add(Applied, False, string(PhaseNotApplied), fmt.Sprintf(
			"Failed to apply all objects (%d of %d objects are applied)", o.Objects-len(o.Failed), o.Objects))
		status.FailedPlacements = append(append([]FailedPlacement{}, o.Failed...), o.Waiting...)
		return status
	}
	if o.Pending > 0 {
		add(Applied, Unknown, string(PhaseApplyPending), fmt.Sprintf("%d of %d objects on the cluster are outdated; the next apply writes them", o.Pending, o.Objects))
		status.FailedPlacements = o.Waiting
		return status
	}
	add(Applied, True, "AllWorkHaveBeenApplied", "All corresponding work objects are applied")
	switch {
	case len(o.Waiting) > 0:
		add(Available, False, string(PhaseNotAvailable), fmt.Sprintf(
			"Some objects are not available (%d of %d objects are available)", o.Objects-len(o.Waiting), o.Objects))
		status.FailedPlacements = o.Waiting
	case o.Untracked > 0:
		add(Available, True, "NotAllWorkAreAvailabilityTrackable", fmt.Sprintf(
			"The availability of %d of %d objects is not trackable", o.Untracked, o.Objects))
	default:
		add(Available, True, "AllWorkAreAvailable", "All corresponding work objects are available")
	}
	return status
}

func (o ClusterOutcome) addUnreachable(add func(conditionType, value, reason, message string)) {
	message := "The cluster cannot be reached: " + o.Unreachable
	switch {
	case o.Unreachable == "":
	case o.Reporting:
		add(DiffReported, Unknown, "DiffReportingPending", message)
	default:
		add(Applied, Unknown, string(PhaseApplyPending), message)
	}
}

func (o ClusterOutcome) addDiffReported(add func(conditionType, value, reason, message string)) {
	switch {
	case o.Unreachable != "":
		o.addUnreachable(add)
	case len(o.Failed) > 0:
		add(DiffReported, False, string(PhaseDiffNotReported), fmt.Sprintf(
			"Failed to report diff on all objects (%d of %d objects have reported diff)", o.Objects-len(o.Failed), o.Objects))
	default:
		add(DiffReported, True, "AllWorkHaveDiffReported", "All corresponding work objects have reported diff")
	}
}

// ConditionPrefix returns the prefix of the condition types of a placement in a namespace, or of a cluster-scoped placement if namespace is "".
func ConditionPrefix(namespace string) string {
	if namespace == "" {
		return ClusterResourcePlacementPrefix
	}
	return ResourcePlacementPrefix
}

// maxObserved is the maximum number of drifted and of diffed objects of one cluster in a status (KubeFleet, pkg/controllers/workgenerator).
const maxObserved = 100

func truncate[T any](list []T) []T { return list[:min(len(list), maxObserved)] }

// NewStatus derives the status of a placement from that of its clusters, as KubeFleet's placement controller does. A condition type is Unknown if any picked
// cluster has it as Unknown or lacks it. Otherwise, it is False if it is False for any picked cluster, and True if it is True for all. After Scheduled, the
// list ends with the first type that is not True. If no cluster is picked, the list has only Scheduled.
//
// namespace is that of the placement; "" for a cluster-scoped one. selected are the objects to place. fulfilled reports whether the clusters fulfill the
// policy. index is the index of the content, and generation that of the spec.
func NewStatus(namespace string, selected []manifest.Identifier, clusters []ClusterOutcome, fulfilled bool, index string, generation int64) Status {
	status := Status{ObservedResourceIndex: index, SelectedResources: selected, Clusters: map[string]ClusterStatus{}}
	var picked []ClusterStatus
	for _, outcome := range clusters {
		cluster := NewClusterStatus(outcome, generation)
		status.Clusters[outcome.Name] = cluster
		if outcome.Scheduled {
			picked = append(picked, cluster)
		}
	}
	add := func(conditionType, value, reason, message string) {
		status.Conditions = append(status.Conditions, Condition{
			Type: ConditionPrefix(namespace) + conditionType, Status: value, Reason: reason, Message: message,
			ObservedGeneration: generation,
		})
	}
	if fulfilled {
		add(Scheduled, True, "SchedulingPolicyFulfilled", fmt.Sprintf(
			"found all cluster needed as specified by the scheduling policy, found %d cluster(s)", len(picked)))
	} else {
		add(Scheduled, False, "SchedulingPolicyUnfulfilled", fmt.Sprintf(
			"could not find all clusters needed as specified by the scheduling policy, found %d cluster(s) instead", len(picked)))
	}
	if len(picked) == 0 {
		return status
	}
	for _, text := range aggregates {
		if !slices.ContainsFunc(picked, func(c ClusterStatus) bool { return c.isExpected(text.conditionType) }) {
			continue
		}
		counts, overridden, all := map[string]int{}, 0, true
		for _, cluster := range picked {
			c, found := cluster.Condition(text.conditionType)
			if !found {
				c.Status = Unknown
			}
			counts[c.Status]++
			all = all && c.Status == True
			if c.Reason == "OverriddenSucceeded" {
				overridden++
			}
		}
		for _, value := range []string{Unknown, False, True} {
			if counts[value] > 0 {
				reason, message := text.reasons[value], text.messages[value]
				if text.conditionType == Overridden && value == True && overridden > 0 {
					reason, message = "OverriddenSucceeded", "The selected resources are successfully overridden in %d cluster(s)"
					counts[value] = overridden
				}
				add(text.conditionType, value, reason, strings.ReplaceAll(message, "%d", strconv.Itoa(counts[value])))
				break
			}
		}
		if !all {
			break
		}
	}
	return status
}

// isExpected reports whether a cluster can have a condition of a type.
func (s ClusterStatus) isExpected(conditionType string) bool {
	_, reporting := s.Condition(DiffReported)
	switch conditionType {
	case DiffReported:
		return reporting
	case Applied, Available:
		return !reporting
	default:
		return true
	}
}

type aggregate struct {
	conditionType     string
	reasons, messages map[string]string
}

// aggregates lists the reasons and messages of the placement's own conditions (KubeFleet, pkg/utils/condition).
var aggregates = []aggregate{
	{RolloutStarted,
		map[string]string{True: "RolloutStarted", False: "RolloutNotStartedYet", Unknown: "RolloutStartedUnknown"},
		map[string]string{
			True:    "All %d cluster(s) start rolling out the latest resource",
			False:   "The rollout is being blocked by the rollout strategy in %d cluster(s)",
			Unknown: "There are still %d cluster(s) in the process of deciding whether to roll out the latest resources or not",
		}},
	{Overridden,
		map[string]string{True: "NoOverrideSpecified", False: "OverriddenFailed", Unknown: "OverriddenPending"},
		map[string]string{
			True:    "No override rules are configured for the selected resources",
			False:   "Failed to override resources in %d cluster(s)",
			Unknown: "There are still %d cluster(s) in the process of overriding resources",
		}},
	{WorkSynchronized,
		map[string]string{True: "WorkSynchronized", False: "WorkNotSynchronizedYet", Unknown: "WorkSynchronizedUnknown"},
		map[string]string{
			True:    "Work(s) are successfully created or updated in %d target cluster(s)",
			False:   "There are %d cluster(s) which have not finished creating or updating work(s) yet",
			Unknown: "There are still %d cluster(s) in the process of creating or updating the work object(s)",
		}},
	{Applied,
		map[string]string{True: "ApplySucceeded", False: "ApplyFailed", Unknown: "ApplyPending"},
		map[string]string{
			True:    "The selected resources are successfully applied to %d cluster(s)",
			False:   "Failed to apply resources to %d cluster(s), please check the `failedPlacements` status",
			Unknown: "There are still %d cluster(s) in the process of applying the resources on the member cluster",
		}},
	{Available,
		map[string]string{True: "ResourceAvailable", False: "ResourceNotAvailableYet", Unknown: "ResourceAvailableUnknown"},
		map[string]string{
			True:    "The selected resources in %d cluster(s) are available now",
			False:   "The selected resources in %d cluster(s) are still not available yet",
			Unknown: "There are still %d cluster(s) in the process of checking the availability of the selected resources",
		}},
	{DiffReported,
		map[string]string{True: "DiffReportingCompleted", False: "DiffReportingIncompleteOrFailed", Unknown: "DiffReportingPending"},
		map[string]string{
			True:    "Diff reporting in %d cluster(s) has been completed",
			False:   "Diff reporting in %d clusters is still in progress or has failed",
			Unknown: "There are still %d cluster(s) in the process of checking for configuration differences",
		}},
}
