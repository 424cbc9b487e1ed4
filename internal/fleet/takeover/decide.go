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
	// Live is the object on the member, nil if there is none.
	Live *unstructured.Unstructured
	// Owned says that the object is the placement's own.
	Owned bool
	// ForeignPlacement says in words which other live placement, KubeFleet or KubeAdmiral owns the object; empty for none. Such an object
	// is never taken.
	ForeignPlacement string
	// Given says that another placement of the configuration hands the object over, which was agreed to there: WhenToTakeOver does not matter, and
	// ForeignPlacement is empty.
	Given bool
	// OwnerReferences are the object's, without the placement's own. References of KubeFleet that are left behind, because their Work is
	// gone, are to be left out.
	OwnerReferences []metav1.OwnerReference
	// SameManifest says that the object was made from the manifest as it is now: the content hash that is recorded of it is the manifest's.
	// Without it, whether the hash is another one or there is none, drifts are overwritten.
	SameManifest bool
	// Strategy has its defaults filled in.
	Strategy placement.ApplyStrategy
	// Comparison is how Live differs from the manifest, nil if no comparison was made; see NeedsComparison.
	Comparison *diff.Comparison
}

// Decision is what is done, and how KubeFleet would report it.
type Decision struct {
	Action Action
	// Obstacle is what keeps the object from being written, and Problem tells it to people, as a clause. Reason is that of KubeFleet's
	// Applied condition, and Error is the error that its message tells. All are empty for an object that is written.
	Obstacle               Obstacle
	Problem, Reason, Error string
}

// Message is that of KubeFleet's Applied condition (pkg/controllers/workapplier/status.go); empty for an object that is written.
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

// The reasons for which an object is not looked at any further: nothing is decided of it.
const (
	ReasonDecodingErred                  = "DecodingErred"
	ReasonFoundGenerateName              = "FoundGenerateName"
	ReasonDuplicated                     = "Duplicated"
	ReasonFailedToFindObjInMemberCluster = "FailedToFindObjInMemberCluster"
)

// NeedsComparison tells whether [Decide] depends on how the object differs.
func (in Input) NeedsComparison() bool {
	return in.Live != nil && !in.Owned && !in.Given && in.Strategy.WhenToTakeOver == placement.TakeOverIfNoDiff && in.ownedByOthers() == nil
}

// Decide is KubeFleet's decision table for an object that is to be applied, on the client's side or the server's: rows D1 to D23 of the
// package documentation. An orphaned reference of KubeFleet (D15, D16) is for the caller to leave out. Without a comparison where one is
// needed, see [Input.NeedsComparison], the object is left alone.
//
// What an API server refuses later cannot be known here and is for the caller to report, see [Rejected]:
//   - The write that makes the object the placement's own is refused: [ReasonFailedToTakeOver], and the object stays as it was.
//   - The apply after it is refused, for an immutable field (row D3-422) or a conflict of field managers (D23): [ReasonManifestApplyFailed],
//     and the object is the placement's own all the same.
func Decide(in Input) Decision {
	switch {
	case in.Live == nil: // D1
		return Decision{Action: ActionCreate}
	case in.Owned: // D18 to D21
		if owned := in.coOwned(); owned != nil {
			return *owned
		}
		return Decision{Action: ActionUpdate}
	case in.Given: // as one of the placement's own
		if owned := in.coOwned(); owned != nil {
			return *owned
		}
		return Decision{Action: ActionTakeOverFrom}
	case in.Strategy.WhenToTakeOver == placement.TakeOverNever: // D9, D16, D17: nothing else is looked at
		return leaveAlone(ObstacleMode, ReasonNotTakenOver, notOwned, notOwned)
	}
	if owned := in.ownedByOthers(); owned != nil {
		return *owned
	}
	if in.Strategy.WhenToTakeOver == placement.TakeOverIfNoDiff {
		if differs := in.differing(); differs != nil {
			return *differs
		}
	}
	return Decision{Action: ActionTakeOver} // D2 to D4, D7, D11, D12
}

// ownedByOthers is the decision about an object of others that must not be taken over whatever it is like; nil if it may be.
func (in Input) ownedByOthers() *Decision {
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

// differing is the decision about an object that is taken over only if it is equal; nil if it is (D4, D7, D12).
func (in Input) differing() *Decision {
	leave := func(obstacle Obstacle, problem, told string) *Decision {
		return new(leaveAlone(obstacle, ReasonFailedToTakeOver, problem, told))
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

// coOwned is the decision about an object of ours that somebody else owns too, where nobody else may; nil if nobody does (D18, D20).
func (in Input) coOwned() *Decision {
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

// Rejected is the decision about an object that cannot be placed, for a problem that shows elsewhere: the API server does not accept it,
// its kind is not served, and so on.
func Rejected(obstacle Obstacle, reason, problem string) Decision {
	return Decision{Action: ActionReject, Obstacle: obstacle, Problem: problem, Reason: reason, Error: problem}
}

// NotAgreed is the decision about an object that would be taken over, but is not as the preview had it that was agreed to.
func NotAgreed(problem string) Decision {
	explained := problem + ". The object was not taken over"
	return leaveAlone(ObstacleNotAgreed, ReasonFailedToTakeOver, problem, explained)
}

// NotPlanned is the decision about an object of the placement's own whose update the plan did not show.
func NotPlanned(problem string) Decision {
	explained := problem + ". The object was not updated"
	return Decision{Action: ActionLeaveDrifted, Obstacle: ObstacleNotAgreed, Problem: problem, Reason: ReasonManifestApplyFailed, Error: explained}
}

// leaveAlone is the decision about an object that stays as it is. told is the problem as KubeFleet's error has it.
func leaveAlone(obstacle Obstacle, reason, problem, told string) Decision {
	return Decision{Action: ActionLeaveAlone, Obstacle: obstacle, Problem: problem, Reason: reason, Error: told}
}

const (
	notOwned         = "no ownership of the object in the member cluster; takeover is needed"
	failedTakeover   = "failed to take over a pre-existing object: "
	differencesFound = "cannot take over object: configuration differences are found between the manifest object and the corresponding " +
		"object in the member cluster"
	degradedMode = "full comparison is performed instead of partial comparison, as the manifest object is considered to be invalid by the " +
		"member cluster API server"
	inDegradedMode = " in degraded mode (" + degradedMode + ")"
	notCompared    = "it was not found out how the object differs"
)

func (in Input) comparisonProblem() string {
	return "failed to calculate configuration diffs between the manifest object and the object from the member cluster: " + in.dryRunProblem()
}

// dryRunProblem tells the error of a comparison. Only a partial one makes a dry run.
func (in Input) dryRunProblem() string {
	if in.Strategy.ComparisonOption != placement.FullComparison {
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

// describeReferences names the owners. KubeFleet prints its structures here, with addresses that change from loop to loop.
func describeReferences(refs []metav1.OwnerReference) string {
	texts := make([]string, len(refs))
	for i, ref := range refs {
		texts[i] = ref.APIVersion + " " + ref.Kind + " " + ref.Name
	}
	return strings.Join(texts, ", ")
}

// Differing is the decision about an object that is taken over only if it is equal, and is not (D5).
func Differing() Decision {
	return leaveAlone(ObstacleDifferences, ReasonFailedToTakeOver, differencesFound, differencesFound)
}
