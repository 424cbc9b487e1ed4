package takeover

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Action is what is done to an object.
type Action string

// The actions.
const (
	ActionCreate   Action = "Create"
	ActionUpdate   Action = "Update"
	ActionTakeOver Action = "TakeOver"
	ActionRefuse   Action = "Refuse"
	// ActionReport leaves the object alone and reports how it differs; only [DecideReport] has it.
	ActionReport Action = "Report"
	// ActionNeedsComparison asks for the differences; then decide again.
	ActionNeedsComparison Action = "NeedsComparison"
)

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

// Input is what a decision depends on.
type Input struct {
	// Live is the object on the member, nil if there is none.
	Live *unstructured.Unstructured
	// Owned says that the object is the placement's own.
	Owned bool
	// ForeignPlacement says in words which other live placement, KubeFleet or KubeAdmiral owns the object; empty for none. Such an object
	// is never taken.
	ForeignPlacement string
	// OwnerReferences are the object's, without the placement's own. References of KubeFleet that are left behind, because their Work is
	// gone, are to be left out.
	OwnerReferences []metav1.OwnerReference
	// Strategy has its defaults filled in.
	Strategy placement.ApplyStrategy
	// Compared says that Differences, Degraded and CompareErr hold the outcome of a comparison.
	Compared    bool
	Differences []Difference
	// Degraded says that a full comparison stood in for a partial one, because the API server took the manifest for invalid.
	Degraded bool
	// CompareErr is the API server's error.
	CompareErr error
}

// Decision is what is done, and how KubeFleet would report it.
type Decision struct {
	Action Action
	// Reason is empty unless the action is ActionRefuse.
	Reason string
	// Message is KubeFleet's; empty unless the action is ActionRefuse.
	Message string
	// Differences are those of the input, if there was a comparison.
	Differences []Difference
}

// Decide is KubeFleet's decision table for an object that is to be applied, on the client's side or the server's: rows D1 to D23 of
// reference/kubefleet-apply-takeover.md. An orphaned reference of KubeFleet (D15, D16) is for the caller to leave out.
//
// What an API server refuses later cannot be known here and is for the caller to report:
//   - The write that makes the object the placement's own is refused: [ReasonFailedToTakeOver], and the object stays as it was.
//   - The apply after it is refused, for an immutable field (row D3-422) or a conflict of field managers (D23): [ReasonManifestApplyFailed],
//     and the object is the placement's own all the same.
func Decide(in Input) Decision {
	out := Decision{}
	if in.Compared {
		out.Differences = in.Differences
	}
	refuse := func(reason, problem string) Decision {
		out.Action, out.Reason = ActionRefuse, reason
		out.Message = failedToApply(problem)
		return out
	}
	switch {
	case in.Live == nil: // D1
		out.Action = ActionCreate
	case in.Owned: // D18 to D21
		if problem := in.coOwned(); problem != "" {
			return refuse(ReasonManifestApplyFailed, "failed to apply the manifest: failed to validate owner references: "+problem)
		}
		out.Action = ActionUpdate
	case in.Strategy.WhenToTakeOver == placement.TakeOverNever: // D9, D16, D17: nothing else is looked at
		return refuse(ReasonNotTakenOver, "no ownership of the object in the member cluster; takeover is needed")
	default:
		problem, needsComparison := in.takeover()
		switch {
		case problem != "":
			return refuse(ReasonFailedToTakeOver, problem)
		case needsComparison:
			out.Action = ActionNeedsComparison
		default:
			out.Action = ActionTakeOver
		}
	}
	return out
}

// takeover says what stands in the way of a takeover, if it is known without a comparison or one has been made.
func (in Input) takeover() (problem string, needsComparison bool) {
	const failed = "failed to take over a pre-existing object: "
	switch {
	case len(in.OwnerReferences) > 0 && !in.allowsCoOwnership(): // D10, D13
		return failed + fmt.Sprintf("the object is already owned by some other sources(s) and co-ownership is disallowed "+
			"(existingOwnerRefs: [%s])", describeReferences(in.OwnerReferences)), false
	case in.hasAppliedWork(): // D14
		return failed + "the object is already owned by another Fleet AppliedWork object", false
	case in.ForeignPlacement != "":
		return failed + "the object is already owned by " + in.ForeignPlacement, false
	case in.Strategy.WhenToTakeOver != placement.TakeOverIfNoDiff: // D2, D3, D11
		return "", false
	case !in.Compared:
		return "", true
	case in.CompareErr != nil: // D8
		return failed + in.comparisonProblem(), false
	case len(in.Differences) > 0 && in.Degraded: // D6
		return differencesFound + inDegradedMode, false
	case len(in.Differences) > 0: // D5, D12
		return differencesFound, false
	default: // D4, D7, D12
		return "", false
	}
}

const differencesFound = "cannot take over object: configuration differences are found between the manifest object and the corresponding " +
	"object in the member cluster"

const inDegradedMode = " in degraded mode (full comparison is performed instead of partial comparison, as the manifest object is considered " +
	"to be invalid by the member cluster API server)"

// failedToApply is the message of the condition around an error.
func failedToApply(problem string) string {
	return fmt.Sprintf("Failed to apply the manifest (error: %s)", problem)
}

func (in Input) comparisonProblem() string {
	return "failed to calculate configuration diffs between the manifest object and the object from the member cluster: " +
		dryRunProblem(in.Strategy, in.CompareErr)
}

// dryRunProblem tells the error of a comparison. Only a partial one makes a dry run.
func dryRunProblem(strategy placement.ApplyStrategy, err error) string {
	if strategy.ComparisonOption != placement.FullComparison {
		return "failed to apply the manifest in dry-run mode: " + err.Error()
	}
	return err.Error()
}

// coOwned says who else owns an object of ours, where nobody else may.
func (in Input) coOwned() string {
	switch {
	case len(in.OwnerReferences) > 0 && !in.allowsCoOwnership(): // D19
		return "object is co-owned by multiple objects but co-ownership has been disallowed"
	case in.hasAppliedWork(): // D21
		return "object is already owned by another AppliedWork object"
	case in.ForeignPlacement != "":
		return "object is already owned by " + in.ForeignPlacement
	default: // D18, D20
		return ""
	}
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
