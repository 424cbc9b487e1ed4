package plan

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
)

// staleAge is the age at which a lease is stale. The operation of a stale lease counts as killed: an apply or a removal does not wait for a renewal of the
// lease first. Because another machine's clock may have set the time of the lease, staleAge is longer than the usual clock skew.
const staleAge = 5 * time.Minute

// claim returns an error if another resource manages the placement, if a placement to create already exists, or if another placement has the new name in a
// rename.
func (p *Plan) claim(survey *Survey) error {
	if p.options.Purpose == Reading {
		return nil
	}
	ours := p.Placement.ID
	if ours == "" && p.Recorded != nil && !p.options.Create {
		ours = p.Recorded.ID
	}
	what := fmt.Sprintf("the placement %q", p.Placement.Name)
	exists := &engine.ExistsError{What: fmt.Sprintf("A placement named %q", p.Placement.Name), Import: p.Placement.Name}
	var where, taken []string
	former := p.Placement.FormerName
	for _, m := range survey.Members {
		switch known := m.Inventory; {
		case known == nil, ours != "" && known.ID == ours:
		case m.nameTaken, former != "":
			former = cmp.Or(former, strings.Join(m.FormerNames(), ", "))
			taken = append(taken, m.Name)
		case Supersedes(p.Placement, m.Name, known):
		case p.options.Create:
			where = append(where, m.Name)
			exists.Operation = cmp.Or(exists.Operation, m.InProgress())
		case ours != "" && known.ID != "":
			return &engine.ManagedElsewhereError{
				What: what, Cluster: m.Name, Import: p.Placement.Name, Theirs: known.ID, Ours: ours, Record: RecordName(p.Placement.Name), Objects: true,
			}
		}
	}
	if len(taken) > 0 {
		return &engine.NameTakenError{Former: former, Name: p.Placement.Name, Where: strings.Join(taken, ", ")}
	}
	if len(where) == 0 {
		return nil
	}
	exists.Where = strings.Join(where, ", ")
	return exists
}

// Supersedes reports whether the identity of a placement replaces the identity in its record on a member. This is the case if the identity of the placement is
// newer, and the state shows that the placement was applied on the member. The record then comes from a backup that is older than the placement.
func Supersedes(p engine.Placement, member string, known *record.Inventory) bool {
	return p.PriorCluster(member).ObservedResourceIndex != "" && engine.IsOlderID(known.ID, p.ID)
}

// InProgress returns the operation in progress according to the member's record, or nil.
func (m *MemberState) InProgress() *engine.OperationInProgress {
	if m.Inventory == nil {
		return nil
	}
	return m.Marked(m.Inventory.Lease)
}

// Marked returns the operation that holds a lease in a record of the member, or nil if there is no lease.
func (m *MemberState) Marked(mark *record.Lease) *engine.OperationInProgress {
	if mark == nil {
		return nil
	}
	return &engine.OperationInProgress{Operation: mark.Operation, Cluster: m.Name, Began: mark.Began, Renewed: mark.Renewed}
}

// Others returns the clusters whose records have the lease of another operation. It omits stale leases.
func (p *Plan) Others() []*Cluster {
	var out []*Cluster
	for _, c := range p.Clusters {
		if mark := c.InProgress(); mark != nil && c.Client != nil && p.At.Sub(mark.Renewed) < staleAge {
			out = append(out, c)
		}
	}
	return out
}
