package apply

import (
	"context"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// withdraw ends an apply on a cluster whose record another operation has taken over. It deletes the objects that this apply created and that the record of the
// other operation does not list, because otherwise no record would list them. A Namespace or definition remains and is reported, because it may already contain
// objects of the other operation. If the record cannot be read, all objects remain and are reported. An object that cannot be deleted also remains and is
// reported.
func (c *cluster) withdraw(ctx context.Context) error {
	busy := *c.lost
	live, err := c.Client.Get(ctx, record.ConfigMapKind, record.Namespace, record.InventoryName(c.plan.Placement.Name))
	var theirs *record.Inventory
	if err == nil {
		theirs, err = record.DecodeInventory(live)
	}
	known := err == nil || kube.IsNotFound(err)
	for _, i := range c.Items {
		if o := c.Outcome(&i.Object); o == nil || o.Failure != nil || i.Action != takeover.ActionCreate || i.Live == nil {
			continue
		}
		if entry, found := theirs.Entry(i.Key()); found && entry.UID == string(i.Live.GetUID()) {
			continue
		}
		_, container := source.AsContainer(i.Identifier, i.Live)
		if container || !known || record.Remove(ctx, c.Client, i.Live) != nil {
			busy.Left = append(busy.Left, i.Identifier)
		}
	}
	return &busy
}

func (r *run) restoredRecords() []string {
	var out []string
	for _, name := range r.plan.Names() {
		if r.clusters[name].isRestored {
			out = append(out, fmt.Sprintf("Cluster %q: the placement's record %s/%s was deleted or overwritten outside of Terraform during the "+
				"apply. The apply wrote it again.", name, record.Namespace, record.InventoryName(r.plan.Placement.Name)))
		}
	}
	return out
}
