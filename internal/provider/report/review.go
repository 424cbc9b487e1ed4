package report

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// Plan is what the report of a plan depends on, besides the preview.
type Plan struct {
	Strategy placement.ApplyStrategy
	// NamesClusters reports that the policy names its clusters.
	NamesClusters bool
	// WantsNone reports that the policy asks for no cluster.
	WantsNone bool
	// Unfinished is what the last apply has left to do.
	Unfinished Unfinished
	// Refuse makes pre-existing objects that will not be taken over an error.
	Refuse bool
	// Shown reports that the plan shows the changes which [Preview] returns. Otherwise they are a part of its warning.
	Shown bool
	// Listed reports whether the plan names an object besides, as the digests of manifests do. If Listed is nil, it names none.
	Listed func(manifest.Identifier) bool
	// Managed reports whether a resource of the run is known to manage a placement. If Managed is nil, none is.
	Managed func(placement string) bool
	// Freed are the objects that other plans delete because this placement is removed.
	Freed []engine.Occupied
	// First reports whether the run shows a text for the first time. Advice is given once a run. If First is nil, it is always given.
	First func(text string) bool
}

// isUnchecked reports whether a cluster could not be checked and may have objects of the placement. A policy that names its clusters excludes the others.
func (p Plan) isUnchecked(cluster engine.ClusterPreview) bool {
	return cluster.Err != nil && (cluster.Picked || cluster.Remains || !p.NamesClusters)
}

// first reports whether the run shows a text for the first time.
func (p Plan) first(text string) bool { return p.First == nil || p.First(text) }

// lists reports whether the plan names an object besides.
func (p Plan) lists(id manifest.Identifier) bool { return p.Listed != nil && p.Listed(id) }

// advise returns a paragraph of advice, or nothing if the run has given it.
func (p Plan) advise(text string) string {
	if !p.first(text) {
		return ""
	}
	return "\n\n" + text
}

// review is a preview as the plan of one placement reports it.
type review struct {
	preview *engine.Preview
	counts  counts
	found   map[takeover.Action][]*finding
	plan    Plan
}

func newReview(preview *engine.Preview, plan Plan) *review {
	out := &review{preview: preview, counts: count(preview), found: findings(preview), plan: plan}
	out.counts.countDrifts(preview, plan.Strategy)
	out.counts.offline = 0
	for _, cluster := range preview.Clusters {
		if plan.isUnchecked(cluster) {
			out.counts.offline++
		}
	}
	return out
}

// needsWarning reports whether a person has to weigh what the plan shows. Creations, updates of the placement's own objects, hand-overs without a difference, and
// objects that remain on a cluster are no reason for a warning.
func (r *review) needsWarning() bool {
	p, c := r.preview, r.counts
	return r.isNowhere() || c.offline+c.unplaceable+c.missing+c.drifts > 0 || r.plan.Unfinished.explains(p) || p.Hold != nil || len(p.Selected) == 0 || len(cautions(p)) > 0 ||
		slices.ContainsFunc(p.Clusters, func(cluster engine.ClusterPreview) bool {
			return cluster.RecordLost || slices.ContainsFunc(cluster.Objects, r.weighs)
		})
}

// isNowhere reports whether no cluster is picked although the policy asks for some.
func (r *review) isNowhere() bool { return r.counts.clusters == 0 && !r.plan.WantsNone }

// weighs reports whether a person has to weigh what happens to an object.
func (r *review) weighs(o engine.ObjectPreview) bool {
	switch o.Action {
	case takeover.ActionNone, takeover.ActionOrphan:
		return o.Obstacle != takeover.ObstacleNone && o.Obstacle != takeover.ObstacleLeft // the plan of the member shows that it leaves
	case takeover.ActionCreate:
		return false
	case takeover.ActionUpdate:
		return replacesPods(o) || willDrift(o, r.plan.Strategy) || slices.ContainsFunc(o.Differences, r.overwrites)
	case takeover.ActionTakeOver:
		return replacesPods(o) || willDrift(o, r.plan.Strategy) || len(o.Differences) > 0 || r.preview.Predicted && !r.preview.KeepsAdopted
	case takeover.ActionTakeOverFrom:
		return replacesPods(o) || willDrift(o, r.plan.Strategy) || len(o.Differences) > 0 || o.RemainsDrifted()
	case takeover.ActionHandOver:
		return o.Problem != ""
	case takeover.ActionReport:
		return (&finding{object: o}).reported() != ""
	case takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReplace, takeover.ActionReject, takeover.ActionPrune,
		takeover.ActionDefer, takeover.ActionUnknown:
	}
	return true
}

// replacesPods reports whether a write replaces Pods of a workload, or may.
func replacesPods(o engine.ObjectPreview) bool {
	return o.Restart != workload.RestartNone && o.Restart != ""
}

// overwrites reports whether an update overwrites a value that the placement has not written.
func (r *review) overwrites(d diff.Difference) bool {
	return d.HasMember && d.Manager.Name != "" && r.preview.Manager != "" && d.Manager.Name != r.preview.Manager
}

// weighed returns the findings that a person has to weigh. They are in the warning.
func (r *review) weighed() map[takeover.Action][]*finding {
	out := map[takeover.Action][]*finding{}
	for action, found := range r.found {
		out[action] = slices.DeleteFunc(slices.Clone(found), func(f *finding) bool { return !r.weighs(f.object) })
	}
	return out
}

// clusters returns a line for each group of clusters with something to weigh.
func (r *review) clusters() *section {
	scored := scores(r.preview)
	all := r.isNowhere() || !r.preview.Fulfilled || r.plan.Unfinished.nowhere || len(r.preview.Selected) == 0 || len(r.preview.Unknown) > 0
	return clusterSection(r.preview, r.plan.first, func(c engine.ClusterPreview) clusterText {
		if all || c.Problem != "" || r.plan.isUnchecked(c) || c.RecordLost || !c.Picked && slices.ContainsFunc(c.Objects, r.weighs) {
			return applyText(c, scored)
		}
		return clusterText{}
	})
}
