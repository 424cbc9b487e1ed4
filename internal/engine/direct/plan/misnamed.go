package plan

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
)

// addMisnamed adds a record under another name if it has the placement's identity, and verifies or is trusted; see [trusts]. It ignores other records. It returns
// an error if it cannot decode the objects of such a record.
func (m *MemberState) addMisnamed(u *unstructured.Unstructured, p engine.Placement) error {
	if p.ID == "" {
		return nil
	}
	head, err := record.DecodeHead(u)
	if err != nil || head.ID != p.ID || head.ClusterUID != m.UID {
		return nil //nolint:nilerr // the plan of its own placement returns the error
	}
	signed := record.Verifies(u, p.Key, m.UID)
	if !signed && !trusts(p, m.Name) {
		return nil
	}
	known, err := record.DecodeInventory(u)
	if err != nil {
		return err
	}
	known.Signed = signed
	m.MisnamedRecords = append(m.MisnamedRecords, known)
	return nil
}

// chooseRecord chooses the current record of the placement. An interrupted rename leaves two records. The record that was written later has the higher
// generation.
func (m *MemberState) chooseRecord(p engine.Placement) {
	if len(m.MisnamedRecords) == 0 {
		return
	}
	slices.SortStableFunc(m.MisnamedRecords, func(a, b *record.Inventory) int { return cmp.Compare(a.Generation, b.Generation) })
	for _, known := range m.MisnamedRecords {
		m.OtherPlacements.remove(known.Name)
	}
	newest, named := m.MisnamedRecords[len(m.MisnamedRecords)-1], m.currentRecord()
	switch {
	case m.Inventory != nil && m.Inventory.ID != p.ID:
		m.nameTaken = true
	case named == nil, named.IsUnproven(), named.ID != p.ID, named.Generation < newest.Generation:
		m.Inventory, m.Former, m.RecordLost = newest, nil, false
		if newest.Former() {
			m.Inventory, m.Former = nil, newest
		}
	}
}

// FormerNames returns the other names under which the placement has records on the member, sorted.
func (m *MemberState) FormerNames() []string {
	var out []string
	for _, known := range m.MisnamedRecords {
		out = append(out, known.Name)
	}
	slices.Sort(out)
	return out
}

func (m *MemberState) formerSets() map[string]bool {
	out := map[string]bool{}
	for _, known := range m.MisnamedRecords {
		out[record.ApplySetID(known.Name)] = true
	}
	return out
}

// IsFormerlyMarked reports whether an object has the label of the placement under another name.
func (m *MemberState) IsFormerlyMarked(live *unstructured.Unstructured) bool {
	return m.formerSets()[applyset.PartOf(live)]
}
