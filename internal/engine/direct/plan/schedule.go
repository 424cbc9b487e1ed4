package plan

import (
	"cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// schedule runs the scheduler. A cluster that was picked under the same policy remains picked, unless PickN picks fewer clusters than before. If the last
// status shows a cluster as picked, it also remains picked while it is unreachable or its record is lost, because the placement may have objects there. When
// the policy changes, PickN picks only among the reachable clusters, as KubeFleet does: if unreachable clusters counted, the workload would be deleted on
// clusters where it runs.
func (p *Plan) schedule(views []*MemberState) (schedule.Outcome, error) {
	in := schedule.Input{Policy: p.Spec.Policy, Placement: p.Placement.Name}
	for _, v := range views {
		candidate := v.candidate()
		if v.Err != nil && !p.givesUp(v) && p.Placement.PriorCluster(v.Name).IsScheduled() && !p.picksAgain(views, v.Name) {
			candidate.Ineligible = ""
			in.Bindings = append(in.Bindings, schedule.Binding{Cluster: v.Name, State: schedule.Bound})
		}
		// A cluster that has left the fleet loses its binding, as in KubeFleet, and its objects are orphaned.
		known := v.Inventory
		switch {
		case v.Err != nil, !v.Joined():
		case known != nil && known.Picked && known.ClusterUID == v.UID:
			in.Bindings = append(in.Bindings, schedule.Binding{
				Cluster: v.Name, State: schedule.Bound, Obsolete: known.Spec.PolicyHash() != p.Spec.PolicyHash() || p.hasLeft(v.Name, known),
				Score: known.Score(), Reason: known.Reason,
			})
		case v.RecordLost && p.Placement.PriorCluster(v.Name).IsScheduled():
			in.Bindings = append(in.Bindings, schedule.Binding{Cluster: v.Name, State: schedule.Bound, Obsolete: p.hasOtherPolicy(views)})
		}
		in.Clusters = append(in.Clusters, candidate)
	}
	return schedule.Schedule(in)
}

// hasLeft reports whether an apply no longer picked the cluster, but could not update its record because the cluster was unreachable. known is this record,
// which still shows the cluster as picked.
func (p *Plan) hasLeft(cluster string, known *record.Inventory) bool {
	generation, _ := p.Placement.Prior.Counts()
	_, scheduled := p.Placement.PriorCluster(cluster).Condition(placement.Scheduled)
	return scheduled && known.Generation < generation && !p.Placement.PriorCluster(cluster).IsScheduled()
}

// picksAgain reports whether PickN has a different policy now than when an unreachable cluster was picked. After an apply that ended early, some records already
// have the new policy. Therefore the oldest record that is not older than the pick decides.
func (p *Plan) picksAgain(views []*MemberState, unreachable string) bool {
	if p.Spec.Policy.PlacementType != placement.PickN {
		return false
	}
	newest, _ := (&Survey{Members: views}).Newest(placement.Digest{})
	if newest == nil {
		return false
	}
	known := newest
	picked, _ := p.Placement.PriorCluster(unreachable).Condition(placement.Scheduled)
	for _, v := range views {
		if i := v.Inventory; i != nil && !i.IsUnproven() && i.ID == newest.ID && i.Generation >= picked.ObservedGeneration && i.Generation < known.Generation {
			known = i
		}
	}
	return known.Spec.PolicyHash() != p.Spec.PolicyHash()
}

// hasOtherPolicy reports whether the newest record was written under another policy. It reports false without a record.
func (p *Plan) hasOtherPolicy(views []*MemberState) bool {
	known, _ := (&Survey{Members: views}).Newest(placement.Digest{})
	return known != nil && known.Spec.PolicyHash() != p.Spec.PolicyHash()
}

func (m *MemberState) candidate() schedule.Cluster {
	out := schedule.Cluster{Name: m.Name, Ineligible: m.ineligible()}
	if m.Record != nil {
		out.Labels, out.Taints = m.Record.Labels, m.Record.Taints
	}
	if m.measured != nil {
		out.Properties, out.Usage = m.measured.properties, schedule.ResourceUsage(m.measured.usage)
	}
	return out
}

// ineligible returns why nothing can be placed on the cluster, or "".
func (m *MemberState) ineligible() string {
	switch {
	case m.isUnconnected():
		return "the provider argument \"members\" no longer contains the cluster: the objects placed there remain"
	case m.isAssumedNew():
		return ""
	case m.Err != nil:
		return "cluster cannot be reached: " + m.Err.Error()
	case m.Leaving && m.assumed == engine.AssumeGone:
		return "cluster is assumed to be gone from the fleet"
	case m.Leaving:
		return "cluster is leaving the fleet: its fleet_member_cluster is to be destroyed"
	case !m.Joined():
		return "cluster is not connected to the fleet: no fleet_member_cluster registers it, or this placement does not depend on the one that does"
	default:
		return ""
	}
}

func (p *Plan) decision(m *MemberState) schedule.Decision {
	out := schedule.Decision{Cluster: m.Name, Reason: "not asked for by the placement policy"}
	for _, decision := range p.Outcome.Decisions {
		if decision.Cluster == m.Name {
			out = decision
		}
	}
	if (m.Err == nil && !m.Joined() || p.givesUp(m)) && !out.Selected {
		out.Reason, out.Cause = m.ineligible(), "" // its labels and taints are unknown, so any other reason is a guess
	}
	return out
}

// nextHead returns the head of the inventories after this apply. The generation increases if the spec or the manifests have changed. The resource index
// increases if the content has changed, like the index of KubeFleet's resource snapshots.
func nextHead(p engine.Placement, content *source.Content, known *record.Inventory, digest placement.Digest) record.Head {
	out := record.Head{
		Name: p.Name, ID: p.ID, Generation: 1, HasManifests: len(p.AllManifests()) > 0,
	}
	var before record.Head
	if known != nil {
		before = known.Head
	}
	out.ContentHash = manifest.Salted(content.Hash, before.ContentHash)
	out.ManifestsHash = manifest.Salted(digest.Manifests, before.ManifestsHash)
	out.WriteOnlyHash = manifest.Salted(digest.WriteOnly, before.WriteOnlyHash)
	if known != nil {
		out.ID = cmp.Or(p.ID, known.ID)
		out.Generation, out.ResourceIndex = known.Generation, known.ResourceIndex
		if !known.Matches(digest) {
			out.Generation++
		}
		if !manifest.SameHash(known.ContentHash, content.Hash) {
			out.ResourceIndex++
		}
	}
	// If the cluster with the record of the last apply is unreachable, known is older. The counts in the last status ensure that the new counts are never
	// lower.
	generation, index := p.Prior.Counts()
	out.Generation, out.ResourceIndex = max(out.Generation, generation), max(out.ResourceIndex, index)
	return out
}
