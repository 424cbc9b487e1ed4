package plan

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/occupants"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// A container (a Namespace or CustomResourceDefinition) is occupied while another placement that this run may remove has objects in it. A removal waits until
// that placement is removed. If the wait times out, the container remains in the record and the removal returns an error.

func (c *Cluster) occupantsOf(container source.Container) occupants.Occupants {
	return occupants.Of(c.plan.options.Run, c.OtherPlacements.inside(container))
}

// awaited returns the occupants whose removal has to start before the container is deleted. It returns nil unless the plan is executed.
func awaited(others occupants.Occupants, purpose Purpose) []string {
	if purpose != Applying {
		return nil
	}
	return others.With(engine.FateUnknown, engine.FatePlanned)
}

// awaitedBy returns the placements that have to be removed before the container is deleted, if none of its other contents prevent the deletion. A preview omits
// the placements that the run is known to remove.
func awaitedBy(found *engine.Contents, purpose Purpose) []string {
	if purpose == Applying {
		return found.First
	}
	return found.Open
}

// firstOf returns a function that names the occupant whose removal deletes an object in a container. An apply counts only removals that have begun.
func (c *Cluster) firstOf(others occupants.Occupants) memberpreview.First {
	return func(_ manifest.Identifier, object metav1.ObjectMeta) string {
		name := c.OtherPlacements.owner(object.Labels[applyset.PartOfLabel])
		fate, inside := others[name]
		deleted, known := c.deletedWith[name]
		switch {
		case !inside, fate == engine.FateKept, known && !deleted[object.UID], c.plan.options.Purpose == Applying && fate != engine.FateRemoving:
			return ""
		}
		return name
	}
}

// readOccupants reads which objects the removals of other placements delete. Objects that these placements have taken over remain. Only a preview needs this,
// because an apply checks the container after the removals. If a record cannot be read, the preview expects the removal to delete all objects of the placement.
func (c *Cluster) readOccupants(ctx context.Context, others occupants.Occupants) {
	if c.plan.options.Purpose != Previewing {
		return
	}
	for name := range others {
		if _, known := c.deletedWith[name]; known {
			continue
		}
		live, err := record.Find(ctx, c.Client, record.ConfigMapKind, record.InventoryName(name))
		if err != nil || live == nil {
			continue
		}
		inventory, err := record.DecodeInventory(live)
		if err != nil {
			continue
		}
		if c.deletedWith == nil {
			c.deletedWith = map[string]map[types.UID]bool{}
		}
		c.deletedWith[name] = objectsDeletedWith(inventory)
	}
}

func objectsDeletedWith(inventory *record.Inventory) map[types.UID]bool {
	out := map[types.UID]bool{}
	if inventory.Spec.Defaulted().Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects {
		return out
	}
	for _, entry := range inventory.Objects {
		if !entry.Adopted && !entry.Released {
			out[types.UID(entry.UID)] = true
		}
	}
	return out
}

// occupy defers the deletion of a container until other placements are removed. If the approved plan did not show the deletion, the container remains.
func (c *Cluster) occupy(i *Item, placements []string) {
	if !c.agreesToDelete(i) {
		i.Obstacle, i.Problem = takeover.ObstacleContents, occupants.Lost(placements)
		return
	}
	i.Action, i.Obstacle, i.Occupants = takeover.ActionDefer, takeover.ObstacleOccupied, placements
	i.Problem = occupants.Deferred(placements, c.plan.again())
}

// again returns how to repeat the operation in progress, or "" for a preview.
func (p *Plan) again() string {
	switch {
	case p.options.Purpose != Applying:
		return ""
	case p.Removing:
		return occupants.AgainRemove
	}
	return occupants.AgainApply
}

// agreesToDelete reports whether the approved plan showed the deletion of a container. Without a plan it reports true.
func (c *Cluster) agreesToDelete(i *Item) bool {
	return c.plan.options.Expected.ContradictsDeletion(c.Name, i.Key(), nil) == ""
}

// RetryOccupied reads the records of the other placements again, and sets the action of the occupied containers to prune. [Cluster.ConfirmPrune] then checks
// each of them again. It returns the containers.
func (c *Cluster) RetryOccupied(ctx context.Context) ([]*Item, error) {
	if err := c.readOthers(ctx); err != nil {
		return nil, err
	}
	occupied := c.Occupied()
	for _, i := range occupied {
		i.Action, i.Obstacle, i.Problem, i.Occupants = takeover.ActionPrune, takeover.ObstacleNone, "", nil
	}
	return occupied, nil
}

// Occupied returns the containers whose deletion is deferred because other placements have objects in them.
func (c *Cluster) Occupied() []*Item {
	var out []*Item
	for _, i := range c.Prunable {
		if i.Action == takeover.ActionDefer && i.Obstacle == takeover.ObstacleOccupied {
			out = append(out, i)
		}
	}
	return out
}
