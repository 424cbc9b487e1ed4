package engine

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// Preview is what an apply would do.
type Preview struct {
	Placement string
	// Selected are the objects that the selectors select. An envelope is one object.
	Selected []manifest.Identifier
	// EmptySelectors are the indices of the selectors that select nothing.
	EmptySelectors []int
	// Unselected are manifests of the placement that no selector selects. Skipped are selected objects that are never placed. They include an object on the hub
	// only if its selector selects nothing else.
	Unselected []manifest.Identifier
	Skipped    []selection.Skipped
	// Fulfilled means that the policy gets all the clusters that it requests.
	Fulfilled bool
	// InProgress is another operation on the placement that may be in progress; nil if there is none.
	InProgress *OperationInProgress
	// Hub is set if a control plane applies the placement. The preview is then a prediction from the current state, and the control plane can change the
	// objects on members at any time. Hub is nil if the provider applies the placement.
	Hub     *HubPreview
	Manager string
	Dangers []Danger
	// Definitions are the placed CustomResourceDefinitions.
	Definitions Definitions
	// Supplies are kinds that other placements of the run need and this one defines. The other placements were planned before, so their plans show these kinds
	// as not served.
	Supplies []Lack
	// Elsewhere are kinds that clusters lack and that the placement in [Lack.Placement] defines, but only on other clusters.
	Elsewhere []Lack
	// Unmanaged are the overrides that change objects and that no known resource of the run manages; see [Preview.FindUnmanaged].
	Unmanaged []UnmanagedOverride
	// Remaining are objects of removed givers that the placement does not place. MissingGivers are givers without a record on any checked
	// cluster, by name.
	Remaining     []Remaining
	MissingGivers []string
	// Unknown names changes of the run that are known only after apply; see [World.Unknown]. The preview is made without them.
	Unknown []string
	// Clusters has an entry for every cluster of the fleet, and for every other cluster with objects of this placement, by name.
	Clusters []ClusterPreview
}

// HubPreview is the prediction for a control plane that applies a placement.
type HubPreview struct {
	// KeepsAdopted means that the control plane keeps the objects that it has taken over on the members when the placement is deleted.
	KeepsAdopted bool
	// AwaitsChanges means that the same run changes members, overrides or envelopes. An apply waits for the effect of these changes.
	AwaitsChanges bool
	// External means that an apply changes no object: the placement's next staged update run does.
	External bool
	// NotObserved means that the control plane had not observed the last apply when the timeout of that apply expired.
	NotObserved bool
	// Stalled means that the placement is not complete, and that an apply cannot complete it: the agents retry on their own, and nothing else is
	// in progress.
	Stalled bool
	// Removing means that the placement is already being deleted, so that its removal takes effect without a destroy.
	Removing bool
	// Places is set for a hub on which an object belongs to the same placement on all clusters. It has the objects that the placement owns or will own.
	Places []manifest.Key
	// Rollout lists the clusters in the expected order of the rollout. The clusters of a group change together.
	Rollout [][]string
	// Hold is the reason why the rollout stops, with the clusters that it does not reach; nil if it reaches all clusters.
	Hold *Hold
}

// OnHub returns the prediction for the control plane that applies the placement, or the zero value if the provider applies it.
func (p *Preview) OnHub() HubPreview {
	if p.Hub == nil {
		return HubPreview{}
	}
	return *p.Hub
}

// Hold is the reason why a hub's rollout stops until a user fixes it or changes the rollout settings.
type Hold struct {
	Clusters []string
	// MaxUnavailable is the number of clusters that may be unavailable.
	MaxUnavailable int
	// For are the unavailable clusters. Missing is the number of clusters that the policy requests and the fleet does not have: they count as
	// unavailable too.
	For     []Unavailable
	Missing int
}

// Unavailable is a cluster on which the placed objects are not available, with the reason.
type Unavailable struct{ Cluster, Reason string }

// ClusterPreview is what an apply would do on one cluster.
type ClusterPreview struct {
	Name string
	// Picked means that the placement picks the cluster. Reason is KubeFleet's message for it, and Cause the same without the cluster's name
	// and scores.
	Picked        bool
	Reason, Cause string
	// Score is the scheduler's score of the cluster, nil if the policy needs no scores.
	Score *schedule.Score
	// Joining means that the cluster will join the fleet before the placement is applied, Leaving that it will leave.
	Joining, Leaving bool
	// FormerNames are the former names of the placement that the cluster still has and that an apply replaces, sorted.
	FormerNames []string
	CheckMethod CheckMethod
	Err         error
	// Remains means that the placement no longer picks the cluster, and that the cluster could not be checked. The objects remain until an apply can reach the
	// cluster.
	Remains bool
	// Problem is the reason why a reachable cluster cannot receive objects; empty if it can.
	Problem string
	// Resume means that an apply has something to do on the cluster even if no object has to be written: an earlier one did not finish, or the
	// engine's record is outdated.
	Resume bool
	// RecordLost means that the engine's record of the placement is missing or outdated on the cluster, or cannot be verified. Objects with the placement's
	// mark that are not in the record may belong to others. UnsearchedKinds are the kinds that could not be searched for such objects.
	RecordLost      bool
	UnsearchedKinds []string
	// RecordProblem is the reason why the record counts as missing although it exists: it cannot be verified. It is empty for a record that is verified
	// or missing.
	RecordProblem string
	// RecordTrusted means that the record was used without verification, because no apply has signed it yet.
	RecordTrusted bool
	// Unserved are kinds that the cluster does not serve, if this is the only reason why a hub's scheduler excludes the cluster.
	Unserved []schema.GroupVersionKind
	// Overrides are the overrides that the engine has read on the cluster and that apply to objects there.
	Overrides []AppliedOverride
	// Objects are in the order of their writes.
	Objects []ObjectPreview
}

// IsAssumedNew reports whether nothing was checked on the cluster because its member is assumed to be new, and the provider has no connection to it.
func (c ClusterPreview) IsAssumedNew() bool {
	return c.Joining && c.Picked && c.Err == nil && c.Problem == "" && c.CheckMethod == CheckOffline
}

// CheckMethod is a way to check what an apply would do on a cluster.
type CheckMethod string

const (
	// CheckDryRun sends server-side dry runs where a local comparison is uncertain.
	CheckDryRun CheckMethod = "dry_run"
	// CheckReadOnly means that no object needed a dry run, or that the credentials may not write some of the objects that needed one. Objects that the
	// credentials may write are still checked as with CheckDryRun.
	CheckReadOnly CheckMethod = "read_only"
	// CheckOffline means that the cluster was not checked, for example because it is unreachable or the provider has no connection to it.
	CheckOffline CheckMethod = "offline"
)

// Values lists the values in their documented order.
func (CheckMethod) Values() []string {
	return []string{string(CheckDryRun), string(CheckReadOnly), string(CheckOffline)}
}

// Untried is the reason why there is no result of a dry run, although only a dry run shows whether the API server accepts a write.
type Untried string

const (
	// UntriedNamespace means that the object's Namespace does not exist yet, and that a dry run in another Namespace was not possible or not conclusive.
	UntriedNamespace Untried = "namespace"
	// UntriedKind means that the object's kind is not served yet.
	UntriedKind Untried = "kind"
	// UntriedPermission means that the credentials may not write the object.
	UntriedPermission Untried = "permission"
	// UntriedRace means that in every attempt, others changed the object between the read and the dry run.
	UntriedRace Untried = "race"
)

// Values lists the values in their documented order, without the empty one.
func (Untried) Values() []string {
	return []string{string(UntriedNamespace), string(UntriedKind), string(UntriedPermission), string(UntriedRace)}
}

// ObjectPreview is what an apply would do to one object.
type ObjectPreview struct {
	manifest.Identifier
	Action takeover.Action
	// Exists means that the object exists on the cluster, Owned that the placement owns it. Again means that the object does not exist although the placement has
	// written it: it was deleted since.
	Exists, Owned, Again bool
	// Obstacle is the reason why the object is not written or deleted, and Problem the same as a clause for diagnostics. Reason and Message are those of
	// the predicted status condition, in KubeFleet's words.
	Obstacle                 takeover.Obstacle
	Problem, Reason, Message string
	// Owner is the owner of the object if it is not this placement.
	Owner takeover.Owner
	// Claimed means that the object is left to the placement in Owner. Owner is another placement of the same run, or, on a hub where an object has only one
	// placement, the current placement of the object. See [Preview.Yield].
	Claimed bool
	// Given is set for an object that another placement hands over. To is the placement to which the object is handed over.
	Given *Given
	To    string
	// Differences are the fields in which the object differs from the desired one.
	Differences []diff.Difference
	// ObservedDiffs and ObservedDrifts are the differences in the predicted status, in KubeFleet's form. They are empty if KubeFleet makes no
	// comparison, as under Never and Always.
	ObservedDiffs, ObservedDrifts []placement.PatchDetail
	// Restart is what the write does to the Pods of an existing workload; empty for other objects, and for objects that are not written.
	Restart workload.Restart
	// Rendered is the object as the apply writes it, including overrides. It is nil for an object that is no longer placed, and if the
	// overrides of the cluster are unknown. Sensitive values of overrides are masked in it; values of Secrets are not.
	Rendered *unstructured.Unstructured `json:"-"`
	// Unserved means that the cluster does not serve the object's kind. ProvidedBy is another placement of the run that defines the kind, or "" if none is
	// known.
	Unserved       bool
	ProvidedBy     string
	LacksNamespace bool
	// Missing are the objects that the Pods of a workload need to start, and that will not exist on the cluster after the run, as far as is known.
	Missing []manifest.Identifier
	// Contents are the objects that the deletion of a Namespace or definition would also delete; nil if they were not checked.
	Contents *Contents
	// Untried is the reason why there is no result of a dry run although the result of the write is uncertain; empty if there is a result, or if no dry run is
	// necessary.
	Untried Untried
	// MayRemove means that a takeover may remove fields of the existing object that Differences do not list, unless a dry run was sent.
	MayRemove bool
	// Mark is a mark of the state of an object that is taken over or updated; see [Mark] and [MarkFields]. ResourceVersion is its resourceVersion. An apply
	// compares both with those in its [Expectation].
	Mark            string
	ResourceVersion string
}

// Conflict reports whether the object is taken over without a hand-over, is left to its owner, or cannot be placed.
func (o ObjectPreview) Conflict() bool {
	switch o.Action {
	case takeover.ActionTakeOver, takeover.ActionLeaveAlone, takeover.ActionReject:
		return true
	case takeover.ActionNone, takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionLeaveDrifted, takeover.ActionReport,
		takeover.ActionReplace, takeover.ActionTakeOverFrom, takeover.ActionHandOver, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionDefer,
		takeover.ActionUnknown:
		return false
	}
	return false
}

// Pending reports whether an apply writes the object, or tries to. A deferred deletion is pending, because otherwise the plan would be empty and the deletion
// would never be planned.
func (o ObjectPreview) Pending() bool {
	return o.Action.Writes() || o.Action == takeover.ActionDefer || o.Rejected()
}

// RemainsDrifted reports whether the object changes its owner and is not updated, because others have changed it.
func (o ObjectPreview) RemainsDrifted() bool {
	return o.Action == takeover.ActionTakeOverFrom && o.Obstacle != takeover.ObstacleNone
}

// Rejected reports whether the API server would reject the object now. An apply tries to write the object nevertheless.
func (o ObjectPreview) Rejected() bool {
	return o.Action == takeover.ActionReject && o.Obstacle.Tried()
}

// Pending reports whether an apply has something to do, or may have something to do once everything is known.
func (p *Preview) Pending() bool {
	if p.Hub != nil && !p.OnHub().AwaitsChanges {
		return p.OnHub().NotObserved || len(p.Unknown) > 0 || slices.ContainsFunc(p.Clusters, func(c ClusterPreview) bool { return c.Resume })
	}
	return len(p.Unknown) > 0 || slices.ContainsFunc(p.Clusters, ClusterPreview.Pending)
}

// Pending reports whether an apply has something to do on the cluster.
func (c ClusterPreview) Pending() bool {
	return c.Resume || slices.ContainsFunc(c.Objects, ObjectPreview.Pending)
}
