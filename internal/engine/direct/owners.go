package direct

import (
	"context"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ReadRecords reads the records of all placements on a member, with one LIST. It does not verify their signatures. A record that is not readable counts as
// empty: the label of the placement's objects then proves nothing.
func ReadRecords(ctx context.Context, member *kube.Cluster) (*owners.Records, error) {
	listed, err := member.List(ctx, record.ConfigMapKind, record.Namespace, record.KindLabel+"="+record.PlacementKind)
	if err != nil {
		return nil, err
	}
	out := &owners.Records{}
	for _, u := range listed {
		name, is := strings.CutPrefix(u.GetName(), record.InventoryPrefix)
		if !is {
			continue
		}
		out.AddPlacement(name, record.ApplySetID(name))
		inventory, err := record.DecodeInventory(u)
		if err != nil {
			continue
		}
		for _, entry := range inventory.Objects {
			out.Add(entry.Key(), owners.Record{
				Placement: name, ID: inventory.ID, Source: "the placement's record, " + plan.RecordName(name),
				UID: entry.UID, Applied: entry.Hash != "", Adopted: entry.Adopted, Released: entry.Released,
			})
		}
	}
	return out, nil
}
