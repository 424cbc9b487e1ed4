package plan

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// trusts reports whether the record on a cluster is used even if it does not verify, because no apply of the placement's state has signed it yet.
func trusts(p engine.Placement, cluster string) bool {
	return len(p.Key) == 0 || p.KeyIsNew || p.PriorCluster(cluster).Unsigned
}

// addUnproven treats a record that does not verify as lost. If the placement has left the cluster, and has no objects there according to the state, the record
// does not count as lost, and an apply replaces it.
func (m *MemberState) addUnproven(known *record.Inventory, hadObjects bool) {
	if known.Former() && !hadObjects {
		m.Former = &record.Inventory{Head: record.Head{Name: known.Name}, Live: known.Live}
		return
	}
	m.Inventory, m.RecordLost = known.Unproven(), true
}

// RecordProblem returns, as a clause, why the existing record on the member is not used, or "" if it is used or missing.
func (m *MemberState) RecordProblem() string {
	if !m.Inventory.IsUnproven() {
		return ""
	}
	return fmt.Sprintf("the signature of the %s does not match: it was edited, copied from elsewhere, restored from a backup, or written with another state",
		RecordName(m.Inventory.Name))
}

// RecordName returns the name of a placement's record for messages.
func RecordName(placementName string) string {
	return fmt.Sprintf("ConfigMap %s/%s", record.Namespace, record.InventoryName(placementName))
}

// isRecordTrusted reports whether the record on the cluster is used without verification. It reports false for a placement without an identity, which has no
// state that could sign the record.
func (c *Cluster) isRecordTrusted() bool {
	return c.plan.Placement.ID != "" && c.Inventory != nil && !c.Inventory.Signed && !c.Inventory.IsUnproven()
}

// isToBeSigned reports whether an apply has to sign the cluster's record. Without a key, it reports true only for
// strategy.delete_strategy.contents = "Delete": a removal follows this value only after an apply of this state has signed the record.
func (c *Cluster) isToBeSigned() bool {
	p := c.plan.Placement
	return !c.Inventory.Signed && (len(p.Key) > 0 || p.ID != "" && c.plan.takesContents())
}

// Unsigned reports whether the cluster has a record that is used without verification until an apply signs it. For a cluster that could not be read, it reports
// the value of the last status, or true if the key is new. Without a key it reports false.
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

// takesContents reports whether Namespaces and definitions are deleted together with the objects of others in them, as strategy.delete_strategy.contents
// specifies. A removal without a key ignores the value, because it may come from the record of a single member.
func (p *Plan) takesContents() bool {
	return p.Spec.Strategy.DeleteStrategy.Contents == placement.TakeContents && !p.ignoresContents()
}

func (p *Plan) ignoresContents() bool {
	return p.Removing && len(p.Placement.Key) == 0 && p.Spec.Strategy.DeleteStrategy.Contents == placement.TakeContents
}

// contentsIgnored returns the suffix for the reason why a Namespace or definition remains.
func (p *Plan) contentsIgnored() string {
	if !p.ignoresContents() {
		return ""
	}
	return ". strategy.delete_strategy.contents = \"Delete\" is not followed, because no apply of this state has set it (import): run an apply before the destroy"
}

// abandons reports whether objects that are no longer placed remain on the cluster, as strategy.delete_strategy.propagation_policy specifies. A removal without
// a key uses the record on the cluster itself, because the value in the state may come from the record of another member.
func (c *Cluster) abandons() bool {
	spec := c.plan.Spec
	if c.plan.Removing && len(c.plan.Placement.Key) == 0 && c.Inventory != nil {
		spec = c.Inventory.Spec.Defaulted()
	}
	return spec.Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects
}

// Trusted returns the names of the members whose records are used without verification.
func (s *Survey) Trusted() []string {
	var out []string
	for _, m := range s.Members {
		if m.Inventory != nil && !m.Inventory.Signed && !m.Inventory.IsUnproven() {
			out = append(out, m.Name)
		}
	}
	return out
}

// ForeignRecord returns a record that does not verify and has the identity of another resource, with its member, or nil. id is the identity of the placement.
func (s *Survey) ForeignRecord(id string) (*record.Inventory, *MemberState) {
	for _, m := range s.Members {
		if m.Inventory.IsUnproven() && id != "" && m.Inventory.ID != "" && m.Inventory.ID != id {
			return m.Inventory, m
		}
	}
	return nil, nil
}
