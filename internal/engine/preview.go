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
	// Selected are the objects the selectors pick, envelopes closed.
	Selected []manifest.Identifier
	// EmptySelectors are the indexes of the selectors that match nothing.
	EmptySelectors []int
	// Unselected are manifests of the placement that no selector picks, Skipped what selectors pick and is not placed: given manifests, and on
	// the hub what is all that a selector picks.
	Unselected []manifest.Identifier
	Skipped    []selection.Skipped
	// Fulfilled tells whether the policy got all the clusters it asks for.
	Fulfilled bool
	// UnderWay is an operation on the placement that may be under way now; nil for none.
	UnderWay *UnderWay
	// Predicted says that a hub carries the placement out: the preview is what it is expected to do, on what is there now. What it does to the
	// objects on the members it does without an apply, too.
	Predicted bool
	// KeepsAdopted says that a hub leaves on the members what it has taken over, when the placement goes.
	KeepsAdopted bool
	// Changing says that the same run changes members, overrides or envelopes: where a hub carries the placement out, an apply follows what it makes
	// of them.
	Changing bool
	// Manager is the field manager under which the placement's objects are written.
	Manager string
	// External says that an apply changes no object: the next staged update run of the placement does.
	External bool
	// Unheard says that the hub has not taken up the last apply, which it was not heard to have done in the time that it had.
	Unheard bool
	// Stalled says that the placement is not complete on the hub, and that an apply cannot complete it: the agents retry on their own, and nothing else
	// is in progress.
	Stalled bool
	// Places are the objects that the placement makes its own, or has, on a hub where an object has one placement on all clusters. It is nil elsewhere.
	Places []manifest.Key
	// Removing says that the placement is deleted on a hub already, so that what its removal does is done without a destroy.
	Removing bool
	// Rollout are the clusters in the order in which the hub is expected to come to them, those of a group at once.
	Rollout [][]string
	// Hold is what keeps the hub from coming to the others; nil if it comes to all.
	Hold *Hold
	// Dangers are what the user should know of what the placement does.
	Dangers []Danger
	// Definitions are the CustomResourceDefinitions that are placed.
	Definitions Definitions
	// Supplies are kinds that other placements of the run need and that this one brings. Their plans could not know that.
	Supplies []Lack
	// Elsewhere are kinds that clusters lack and that another placement of the run, which each names, brings to other clusters only.
	Elsewhere []Lack
	// Unmanaged are the overrides that change objects and that no resource of the run is known to manage; see [Preview.FindUnmanaged].
	Unmanaged []UnmanagedOverride
	// Remaining are what the removed givers have, and the placement does not place. MissingGivers are givers that no checked cluster has a record of, by name.
	Remaining     []Remaining
	MissingGivers []string
	// Unknown names what the run changes and what is known only when it is applied; see [World.Unknown]. The preview is made without it.
	Unknown []string
	// Clusters has an entry for every cluster of the fleet and every other one that has objects of this placement, by name.
	Clusters []ClusterPreview
}

// Hold is what keeps a hub's rollout from clusters until somebody mends it, or the hub is told to wait for less.
type Hold struct {
	// Clusters are those that wait, by name.
	Clusters []string
	// MaxUnavailable is how many clusters may be unavailable.
	MaxUnavailable int
	// For are the clusters that are not available now, Missing how many the policy asks for that there are not: they count as unavailable, too.
	For     []Unavailable
	Missing int
}

// Unavailable is a cluster on which what is placed is not available, and why.
type Unavailable struct{ Cluster, Reason string }

// ClusterPreview is what an apply would do on one cluster.
type ClusterPreview struct {
	Name string
	// Picked tells whether the placement is to be on the cluster, Reason why or why not, in KubeFleet's words, and Cause the same without the
	// cluster's name and scores.
	Picked        bool
	Reason, Cause string
	// Score is what the scheduler gave the cluster, nil if the policy needs no scores.
	Score *schedule.Score
	// Joining says that the cluster has not joined the fleet yet and will before the placement is applied, Leaving that it will have left it.
	Joining, Leaving bool
	// FormerNames are the names under which the cluster has the placement and that an apply replaces by the placement's name, in order.
	FormerNames []string
	// Look is how the cluster was looked at.
	Look Look
	// Err is why it could not be looked at.
	Err error
	// Remains says that the placement leaves the cluster, which could not be checked: its objects remain until an apply reaches the cluster.
	Remains bool
	// Problem is why nothing can be placed on the cluster though it answers; empty if something can.
	Problem string
	// Resume says that an apply has something to do here even if no object has to be written: an earlier one did not finish, or what the
	// engine keeps of the placement says something else than it should.
	Resume bool
	// RecordLost says that the engine's record of the placement is missing on the cluster, or older than it was: what it does not have, and carries
	// the placement's mark, is not known to be its own. Unlooked are the kinds that could not be looked through for such objects.
	RecordLost bool
	Unlooked   []string
	// RecordProblem says why the record counts as missing though it exists: it does not verify. It is empty for a record that verifies or is missing.
	RecordProblem string
	// RecordTrusted reports that the record was used without verification, because no apply has signed it yet.
	RecordTrusted bool
	// Unserved are kinds for which a hub's scheduler excludes the cluster that it would pick otherwise, because the cluster does not serve them.
	Unserved []schema.GroupVersionKind
	// Overrides are those that apply to objects on the cluster and that the engine has read there.
	Overrides []AppliedOverride
	// Objects are in the order in which they are written.
	Objects []ObjectPreview
}

// Look is a way of finding out what an apply would do on a cluster.
type Look string

const (
	// LookDryRun asks the API server with a server-side dry run where a local comparison leaves a doubt.
	LookDryRun Look = "dry_run"
	// LookReadOnly reads and compares locally, because the credentials may not write.
	LookReadOnly Look = "read_only"
	// LookOffline does not look: the cluster cannot be reached.
	LookOffline Look = "offline"
)

// Values lists the ways in the order in which they are documented.
func (Look) Values() []string {
	return []string{string(LookDryRun), string(LookReadOnly), string(LookOffline)}
}

// Untried is why a write was not tried with a dry run though only that could tell whether the API server accepts it.
type Untried string

const (
	// UntriedNamespace is an object whose Namespace does not exist yet, and which could not be tried in another one.
	UntriedNamespace Untried = "namespace"
	// UntriedKind is an object of a kind that is not served yet.
	UntriedKind Untried = "kind"
	// UntriedPermission is an object that the credentials may not write.
	UntriedPermission Untried = "permission"
	// UntriedRace is an object that others changed again and again between the look at it and the dry run.
	UntriedRace Untried = "race"
)

// Values lists the reasons in the order in which they are documented, without the empty one.
func (Untried) Values() []string {
	return []string{string(UntriedNamespace), string(UntriedKind), string(UntriedPermission), string(UntriedRace)}
}

// ObjectPreview is what an apply would do to one object.
type ObjectPreview struct {
	manifest.Identifier
	Action takeover.Action
	// Exists tells whether the object is on the cluster now, Owned whether it is the placement's own.
	Exists, Owned bool
	// Obstacle is what keeps the object from being written or deleted, Problem the same as a clause for people. Reason and Message are what
	// the status will say of it, in KubeFleet's words.
	Obstacle                 takeover.Obstacle
	Problem, Reason, Message string
	// Owner is who looks after the object now, when that is not this placement.
	Owner takeover.Owner
	// Claimed reports that the object is left to the owner, a placement: one of the same run, which will have made the object its own by then, or one
	// that has the object on a hub where an object has one placement. See [Preview.Yield].
	Claimed bool
	// Given is set for an object that another placement hands over; nil for others. To is the placement that the object is handed over to.
	Given *Given
	To    string
	// Differences are the fields in which the object differs from what is to be placed.
	Differences []diff.Difference
	// ObservedDiffs and ObservedDrifts are what the status will say of the differences, in KubeFleet's form. It says nothing where KubeFleet
	// makes no comparison, as under Never and Always.
	ObservedDiffs, ObservedDrifts []placement.PatchDetail
	// Restart is what the write does to the Pods of a workload that is there; empty for what has none, and for what is not written.
	Restart workload.Restart
	// Rendered is the object as the apply writes it, overrides included. It is nil for an object that is no longer placed, and where the overrides of the cluster are
	// not known. Sensitive values of overrides are masked in it, values of Secrets are not.
	Rendered *unstructured.Unstructured `json:"-"`
	// Unserved reports that the cluster does not serve the object's kind. BroughtBy is the placement of the run that brings the kind, "" if it is not another one,
	// or none is known to.
	Unserved  bool
	BroughtBy string
	// LacksNamespace reports that the API server does not have the object's Namespace.
	LacksNamespace bool
	// Missing are the objects that the Pods of a workload need to start and that neither remain on the cluster nor are placed there by the run, as far as is known.
	Missing []manifest.Identifier
	// Contents are what the deletion of a Namespace or definition would take with it; nil where that was not looked at.
	Contents *Contents
	// Untried is why the API server was not asked about a write of which only it knows what comes; empty if it was asked, or need not be.
	Untried Untried
	// Mark is a mark of how an object was found that is to be taken over or updated, and ResourceVersion its version then; an apply is held to them, see
	// [Expectation].
	Mark            string
	ResourceVersion string
}

// Conflict tells whether the object is not the placement's own and exists already, or cannot be placed.
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

// Pending tells whether an apply writes the object, or tries to. A deletion that the preview which was agreed to does not show is to be made
// still: a plan that says that there is nothing to do would have it forgotten.
func (o ObjectPreview) Pending() bool {
	return o.Action.Writes() || o.Action == takeover.ActionDefer || o.Rejected()
}

// RemainsDrifted reports whether the object changes its owner and is not updated, because others have changed it.
func (o ObjectPreview) RemainsDrifted() bool {
	return o.Action == takeover.ActionTakeOverFrom && o.Obstacle != takeover.ObstacleNone
}

// Rejected tells whether the object would not be accepted as things are now; an apply tries it nevertheless.
func (o ObjectPreview) Rejected() bool {
	return o.Action == takeover.ActionReject && o.Obstacle.Tried()
}

// Pending tells whether an apply has anything to write on any cluster, or may have once everything is known.
func (p *Preview) Pending() bool {
	if p.Predicted && !p.Changing {
		return p.Unheard || len(p.Unknown) > 0 || slices.ContainsFunc(p.Clusters, func(c ClusterPreview) bool { return c.Resume })
	}
	return len(p.Unknown) > 0 || slices.ContainsFunc(p.Clusters, ClusterPreview.Pending)
}

// Pending tells whether an apply has anything to write on the cluster.
func (c ClusterPreview) Pending() bool {
	return c.Resume || slices.ContainsFunc(c.Objects, ObjectPreview.Pending)
}
