package plan

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// trusts reports whether the record on a cluster is used though it does not verify: no apply of the placement's state has signed it yet.
func trusts(p engine.Placement, cluster string) bool {
	return len(p.Key) == 0 || p.KeyIsNew || p.PriorCluster(cluster).Unsigned
}

// addUnproven treats a record that does not verify as lost. A record of a placement that left the cluster is no loss where the state does not know the
// placement to be on the cluster; an apply replaces it.
func (m *MemberState) addUnproven(known *record.Inventory, hadObjects bool) {
	if known.Former() && !hadObjects {
		m.Former = &record.Inventory{Head: record.Head{Name: known.Name}, Live: known.Live}
		return
	}
	m.Inventory, m.RecordLost = known.Unproven(), true
}

// RecordProblem says why the record on the member is not used though it exists, as a clause; "" if it is used or missing.
func (m *MemberState) RecordProblem() string {
	if !m.Inventory.IsUnproven() {
		return ""
	}
	return fmt.Sprintf("the signature of the %s does not match: it was edited, copied from elsewhere, restored from a backup, or written with another state",
		RecordName(m.Inventory.Name))
}

// RecordName names the record of a placement on a member, for people.
func RecordName(placementName string) string {
	return fmt.Sprintf("ConfigMap %s/%s", record.Namespace, record.InventoryName(placementName))
}

// recordTrusted reports whether the record on the cluster is used without verification. Without an identity no state is known that could sign it.
func (c *Cluster) recordTrusted() bool {
	return c.plan.Placement.ID != "" && c.Inventory != nil && !c.Inventory.Signed && !c.Inventory.IsUnproven()
}

// isToBeSigned reports whether an apply has to sign the cluster's record. Without a key that is no reason for an apply, except where the placement is to
// delete what others have in a Namespace: a removal does that only for a state that has applied it.
func (c *Cluster) isToBeSigned() bool {
	p := c.plan.Placement
	return !c.Inventory.Signed && (len(p.Key) > 0 || p.ID != "" && c.plan.takesContents())
}

// Unsigned reports whether the cluster has a record that is used without verification until an apply signs it. The record of a cluster that could not be
// read has the signature that it had before.
func (c *Cluster) Unsigned() bool {
	p := c.plan.Placement
	switch {
	case len(p.Key) == 0:
		return false
	case c.Inventory != nil:
		return !c.Inventory.Signed && !c.Inventory.IsUnproven()
	default:
		return c.Err != nil && (p.KeyIsNew || p.PriorCluster(c.Name).Unsigned)
	}
}

// takesContents reports whether a Namespace or definition is deleted with what others have in it, as strategy.delete_strategy.contents asks for. A removal
// follows that only if an apply of this state has set it: without a key it may come from the record of a single member.
func (p *Plan) takesContents() bool {
	return p.Spec.Strategy.DeleteStrategy.Contents == placement.TakeContents && !p.ignoresContents()
}

func (p *Plan) ignoresContents() bool {
	return p.Removing && len(p.Placement.Key) == 0 && p.Spec.Strategy.DeleteStrategy.Contents == placement.TakeContents
}

// contentsIgnored is what is added to the reason why a Namespace or definition stays.
func (p *Plan) contentsIgnored() string {
	if !p.ignoresContents() {
		return ""
	}
	return ". strategy.delete_strategy.contents = \"Delete\" is not followed, because no apply of this state has set it (import): run an apply before the destroy"
}

// abandons reports whether objects stay on the cluster, as strategy.delete_strategy.propagation_policy asks for. A removal without a key follows the record
// on the cluster itself: the value of the state may come from the record of another member.
func (c *Cluster) abandons() bool {
	spec := c.plan.Spec
	if c.plan.Removing && len(c.plan.Placement.Key) == 0 && c.Inventory != nil {
		spec = c.Inventory.Spec.Defaulted()
	}
	return spec.Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects
}

// Trusted are the members whose records are used without verification, by name.
func (s *Survey) Trusted() []string {
	var out []string
	for _, m := range s.Members {
		if m.Inventory != nil && !m.Inventory.Signed && !m.Inventory.IsUnproven() {
			out = append(out, m.Name)
		}
	}
	return out
}

// ForeignRecord is a member's record that does not verify and has the identity of another resource; nil if there is none.
func (s *Survey) ForeignRecord(id string) (*record.Inventory, *MemberState) {
	for _, m := range s.Members {
		if m.Inventory.IsUnproven() && id != "" && m.Inventory.ID != "" && m.Inventory.ID != id {
			return m.Inventory, m
		}
	}
	return nil, nil
}
