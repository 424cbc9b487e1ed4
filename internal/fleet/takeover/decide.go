package takeover

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Input is what a decision depends on.
type Input struct {
	// Live is the object on the member, or nil if it does not exist.
	Live *unstructured.Unstructured
	// Owned reports whether the placement owns the object.
	Owned bool
	// ForeignPlacement describes the other live placement, KubeFleet or KubeAdmiral that owns the object; empty if there is none. Such an
	// object is never taken over.
	ForeignPlacement string
	// Given reports whether another placement of the configuration hands the object over. The other placement has agreed to it, so
	// WhenToTakeOver does not apply and ForeignPlacement is empty.
	Given bool
	// OwnerReferences are those of the object, without the placement's own. The caller omits orphaned references of KubeFleet, whose Work no
	// longer exists.
	OwnerReferences []metav1.OwnerReference
	// SameManifest reports whether the object was last applied from the current manifest: the content hash recorded for it is the
	// manifest's. If it is false, because the hash differs or there is none, drift is overwritten.
	SameManifest bool
	// Strategy has its defaults set.
	Strategy placement.ApplyStrategy
	// Comparison is how Live differs from the manifest, or nil if they were not compared; see [Input.NeedsComparison].
	Comparison *diff.Comparison
}

// Decision is the action for an object, and how KubeFleet reports it.
type Decision struct {
	Action Action
	// Obstacle is the reason why the object is not written, and Problem describes it as a clause for diagnostics. Reason is that of KubeFleet's Applied
	// condition, and Error the error in the condition's message. All are empty for an object that is written.
	Obstacle               Obstacle
	Problem, Reason, Error string
}

// Message returns the message of KubeFleet's Applied condition (pkg/controllers/workapplier/status.go), or "" for an object that is written.
func (d Decision) Message() string {
	if d.Error == "" {
		return ""
	}
	return fmt.Sprintf("Failed to apply the manifest (error: %s)", d.Error)
}

// The reasons of KubeFleet's Applied condition that a decision can have.
const (
	ReasonNotTakenOver        = "NotTakenOver"
	ReasonFailedToTakeOver    = "FailedToTakeOver"
	ReasonManifestApplyFailed = "ManifestApplyFailed"
)

// The reasons for which an object is not processed further, so that nothing is decided about it.
const (
	ReasonDecodingErred                  = "DecodingErred"
	ReasonFoundGenerateName              = "FoundGenerateName"
	ReasonDuplicated                     = "Duplicated"
	ReasonFailedToFindObjInMemberCluster = "FailedToFindObjInMemberCluster"
)

// NeedsComparison reports whether [Decide] depends on how the object differs.
func (in Input) NeedsComparison() bool {
	return in.Live != nil && !in.Owned && !in.Given && in.Strategy.WhenToTakeOver == placement.TakeOverIfNoDiff && in.checkOwners() == nil
}

// Decide returns KubeFleet's decision about an object to apply, for client-side and server-side apply: rows D1 to D23 of the package documentation.
// The caller must omit orphaned references of KubeFleet (D15, D16). If [Input.NeedsComparison] returns true and there is no comparison, the object
// is not taken over.
//
// Decide does not know whether the API server will reject the write. The caller reports a rejection with [Rejected]:
//   - The server rejects the write that takes ownership: [ReasonFailedToTakeOver], and the object remains unchanged.
//   - The server rejects the apply after that write, for an immutable field or a conflict of field managers (D23):
//     [ReasonManifestApplyFailed], and the placement owns the object nevertheless.
func Decide(in Input) Decision {
	switch {
	case in.Live == nil: // D1
		return Decision{Action: ActionCreate}
	case in.Owned: // D18 to D21
		if owned := in.checkCoOwners(); owned != nil {
			return *owned
		}
		return Decision{Action: ActionUpdate}
	case in.Given: // decided like an object of the placement
		if owned := in.checkCoOwners(); owned != nil {
			return *owned
		}
		return Decision{Action: ActionTakeOverFrom}
	case in.Strategy.WhenToTakeOver == placement.TakeOverNever: // D9, D16, D17: nothing else is checked
		return leaveAlone(ObstacleMode, ReasonNotTakenOver, noOwnership, noOwnership)
	}
	if owned := in.checkOwners(); owned != nil {
		return *owned
	}
	if in.Strategy.WhenToTakeOver == placement.TakeOverIfNoDiff {
		if differs := in.checkDifferences(); differs != nil {
			return *differs
		}
	}
	return Decision{Action: ActionTakeOver} // D2 to D4, D7, D11, D12
}

func (in Input) checkOwners() *Decision {
	leave := func(obstacle Obstacle, problem string) *Decision {
		return new(leaveAlone(obstacle, ReasonFailedToTakeOver, problem, failedTakeover+problem))
	}
	switch {
	case len(in.OwnerReferences) > 0 && !in.allowsCoOwnership(): // D10, D13
		return leave(ObstacleOwnerReferences, "the object is already owned by some other sources(s) and co-ownership is disallowed "+
			"(existingOwnerRefs: ["+describeReferences(in.OwnerReferences)+"])")
	case in.hasAppliedWork(): // D14
		return leave(ObstacleForeignOwner, "the object is already owned by another Fleet AppliedWork object")
	case in.ForeignPlacement != "":
		return leave(ObstacleForeignOwner, "the object is already owned by "+in.ForeignPlacement)
	default:
		return nil
	}
}

// checkDifferences returns why an object must not be taken over under IfNoDiff. It returns nil if a comparison found no difference (D4, D7, D12).
func (in Input) checkDifferences() *Decision {
	leave := func(obstacle Obstacle, problem, errorText string) *Decision {
		return new(leaveAlone(obstacle, ReasonFailedToTakeOver, problem, errorText))
	}
	switch c := in.Comparison; {
	case c == nil:
		return leave(ObstacleNotCompared, notCompared, failedTakeover+notCompared)
	case c.Err != nil: // D8
		return leave(ObstacleNotCompared, in.comparisonProblem(), failedTakeover+in.comparisonProblem())
	case c.Differs() && c.Degraded: // D6
		return leave(ObstacleDegradedDifferences, degradedMode, differencesFound+inDegradedMode)
	case c.Differs(): // D5, D12
		return leave(ObstacleDifferences, differencesFound, differencesFound)
	default:
		return nil
	}
}

// checkCoOwners returns the rejection of an object of the placement that has other owners, if they are not allowed (D19, D21), and nil otherwise (D18, D20).
// Another AppliedWork or placement is never allowed.
func (in Input) checkCoOwners() *Decision {
	reject := func(obstacle Obstacle, problem string) *Decision {
		return new(Rejected(obstacle, ReasonManifestApplyFailed, "failed to apply the manifest: failed to validate owner references: "+problem))
	}
	switch {
	case len(in.OwnerReferences) > 0 && !in.allowsCoOwnership(): // D19
		return reject(ObstacleOwnerReferences, "object is co-owned by multiple objects but co-ownership has been disallowed")
	case in.hasAppliedWork(): // D21
		return reject(ObstacleForeignOwner, "object is already owned by another AppliedWork object")
	case in.ForeignPlacement != "":
		return reject(ObstacleForeignOwner, "object is already owned by "+in.ForeignPlacement)
	default:
		return nil
	}
}

// Rejected returns the decision about an object that cannot be placed because of a problem that the caller found, such as a rejection by the API server.
func Rejected(obstacle Obstacle, reason, problem string) Decision {
	return Decision{Action: ActionReject, Obstacle: obstacle, Problem: problem, Reason: reason, Error: problem}
}

// NotAgreed returns the decision about an object that would be taken over, but differs from the approved preview.
func NotAgreed(problem string) Decision {
	explained := problem + ". The object was not taken over"
	return leaveAlone(ObstacleNotAgreed, ReasonFailedToTakeOver, problem, explained)
}

// ReasonChangedSincePlan is the reason of an update that the plan did not show. KubeFleet has no such reason.
const ReasonChangedSincePlan = "ChangedSincePlan"

// NotPlanned returns the decision about an object of the placement whose update the plan did not show.
func NotPlanned(problem string) Decision {
	explained := problem + ". The object was not updated"
	return Decision{Action: ActionLeaveDrifted, Obstacle: ObstacleNotAgreed, Problem: problem, Reason: ReasonChangedSincePlan, Error: explained}
}

// leaveAlone leaves an object unchanged. errorText is the problem as KubeFleet's error states it.
func leaveAlone(obstacle Obstacle, reason, problem, errorText string) Decision {
	return Decision{Action: ActionLeaveAlone, Obstacle: obstacle, Problem: problem, Reason: reason, Error: errorText}
}

const (
	noOwnership      = "no ownership of the object in the member cluster; takeover is needed"
	failedTakeover   = "failed to take over a pre-existing object: "
	differencesFound = "cannot take over object: configuration differences are found between the manifest object and the corresponding " +
		"object in the member cluster"
	degradedMode = "full comparison is performed instead of partial comparison, as the manifest object is considered to be invalid by the " +
		"member cluster API server"
	inDegradedMode = " in degraded mode (" + degradedMode + ")"
	notCompared    = "the differences of the object are unknown"
)

func (in Input) comparisonProblem() string {
	return "failed to calculate configuration diffs between the manifest object and the object from the member cluster: " + in.dryRunProblem()
}

// dryRunProblem returns the error of the comparison. Only a partial comparison sends a dry run.
func (in Input) dryRunProblem() string {
	if !in.Strategy.ComparisonOption.ComparesAllFields() {
		return "failed to apply the manifest in dry-run mode: " + in.Comparison.Err.Error()
	}
	return in.Comparison.Err.Error()
}

func (in Input) allowsCoOwnership() bool {
	return in.Strategy.AllowCoOwnership != nil && *in.Strategy.AllowCoOwnership
}

func (in Input) hasAppliedWork() bool {
	for _, ref := range in.OwnerReferences {
		if isAppliedWork(ref) {
			return true
		}
	}
	return false
}

// describeReferences names the owners. KubeFleet prints Go structures here, whose pointer addresses change with each reconciliation.
func describeReferences(refs []metav1.OwnerReference) string {
	texts := make([]string, len(refs))
	for i, ref := range refs {
		texts[i] = ref.APIVersion + " " + ref.Kind + " " + ref.Name
	}
	return strings.Join(texts, ", ")
}

// Differing returns the decision about an object that differs, under IfNoDiff (D5).
func Differing() Decision {
	return leaveAlone(ObstacleDifferences, ReasonFailedToTakeOver, differencesFound, differencesFound)
}
