package plan

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/occupants"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// decidePrunes decides the actions for the prunable objects: first for each object separately, then for containers (Namespaces and CustomResourceDefinitions),
// whose deletion would delete other objects. If the cluster does not respond, it returns an error and sets the action of every prunable object to none.
func (c *Cluster) decidePrunes(ctx context.Context) error {
	for _, i := range c.Prunable {
		c.decidePrune(i)
	}
	c.going = c.deletedObjects()
	var retained []*Item
	var failed error
	for _, i := range c.Prunable {
		if i.Action != takeover.ActionPrune {
			continue
		}
		if c.deferWithContents(i) {
			continue
		}
		remains, err := c.checkContents(ctx, i)
		if err != nil {
			failed = err
			break
		}
		if remains {
			retained = append(retained, i)
			continue
		}
		c.holdToExpected(i)
	}
	for _, i := range retained {
		c.retain(i) // after all decisions, so that they do not depend on the objects that remain
	}
	if failed != nil {
		for _, i := range c.Prunable {
			i.ObjectPreview = engine.ObjectPreview{Identifier: i.Identifier, Action: takeover.ActionNone}
		}
	}
	return failed
}

func (c *Cluster) deletedObjects() memberpreview.Deleted {
	out := memberpreview.Deleted{}
	for _, i := range c.Prunable {
		switch {
		case i.Action == takeover.ActionPrune:
			out[i.Live.GetUID()] = true
		case i.Live == nil && i.Unseen == nil && i.Entry.UID != "" && !i.Entry.Adopted:
			out[types.UID(i.Entry.UID)] = true
		}
	}
	return out
}

// deferWithContents defers the deletion of a Namespace or definition with an object in it whose own deletion is deferred, and reports whether it did.
func (c *Cluster) deferWithContents(i *Item) bool {
	container, is := source.AsContainer(i.Identifier, i.Live)
	if !is {
		return false
	}
	for _, other := range c.Prunable {
		if other.Action == takeover.ActionDefer && container.Holds(other.Identifier) {
			i.Action, i.Obstacle = takeover.ActionDefer, takeover.ObstacleNotAgreed
			i.Problem = "it contains " + other.Identifier.String() + ", whose deletion the plan did not show"
			return true
		}
	}
	return false
}

// checkContents checks which objects would be deleted together with i, and returns true if i must therefore remain on the cluster. If other placements have to
// be removed first and the approved plan showed the deletion, it sets ActionDefer and returns false. If the contents cannot be read, it sets ActionUnknown and
// returns false. It returns an error only if the cluster is unreachable.
func (c *Cluster) checkContents(ctx context.Context, i *Item) (bool, error) {
	container, is := source.AsContainer(i.Identifier, i.Live)
	if !is {
		return false, nil
	}
	i.Contents, i.Unseen, i.Obstacle, i.Problem = nil, nil, takeover.ObstacleNone, ""
	others := c.occupantsOf(container)
	if dependent := c.blockingDependent(container, others); dependent != "" {
		i.Obstacle, i.Problem = takeover.ObstacleContents, "its deletion would also delete "+dependent
	} else if names := awaited(others, c.plan.options.Purpose); len(names) > 0 {
		c.occupy(i, names)
	} else if c.plan.options.Purpose != Reading {
		c.readOccupants(ctx, others)
		found, err := c.Member.ContentsAfter(ctx, container, c.going, c.firstOf(others))
		if err != nil {
			return false, err
		}
		i.Contents = found
		if c.plan.options.Purpose == Previewing {
			others.SetOpen(found)
		}
		switch unchecked := found.Unchecked(); {
		case found.Empty(), c.plan.takesContents():
			if awaited := awaitedBy(found, c.plan.options.Purpose); len(awaited) > 0 {
				c.occupy(i, awaited)
			}
		case unchecked != nil:
			i.Unseen, i.Action, i.Obstacle, i.Problem = unchecked, takeover.ActionUnknown, takeover.ObstacleNotReadable, unchecked.Error()
		default:
			i.Obstacle, i.Problem = takeover.ObstacleContents, found.Obstacle()+c.plan.contentsIgnored()
		}
	}
	return i.Obstacle == takeover.ObstacleContents, nil
}

// retain orphans an object that must remain on the cluster. In two cases, it defers the deletion instead: the approved plan could not check the cluster, or the
// approved plan showed the deletion and other placements have objects in the container. In the second case, the run may remove the other placements later.
func (c *Cluster) retain(i *Item) {
	i.Action = takeover.ActionOrphan
	container, is := source.AsContainer(i.Identifier, i.Live)
	switch expected := c.plan.options.Expected; {
	case !is || expected == nil:
		return
	case !expected.Checked(c.Name):
		i.Action, i.Obstacle = takeover.ActionDefer, takeover.ObstacleNotAgreed
		i.Problem += "; the plan did not check the cluster, so it did not show this"
		return
	}
	if names := c.OtherPlacements.inside(container); len(names) > 0 && c.agreesToDelete(i) {
		c.occupy(i, names)
	}
}

// blockingDependent names an object in a container that always prevents the deletion of the container, or returns "". Such an object is placed or handed over
// by the placement, belongs to the placement and could not be read, or belongs to a placement that the run keeps.
func (c *Cluster) blockingDependent(container source.Container, others occupants.Occupants) string {
	for _, other := range c.Items {
		if container.Holds(other.Identifier) {
			return other.Identifier.String()
		}
	}
	for _, other := range c.Prunable {
		if !container.Holds(other.Identifier) {
			continue
		}
		if other.Unseen != nil {
			return other.Identifier.String()
		}
		if other.Action == takeover.ActionHandOver {
			return fmt.Sprintf("%s, which is handed over to the placement %q", other.Identifier, other.To)
		}
	}
	if kept := others.With(engine.FateKept); len(kept) > 0 {
		return fmt.Sprintf("objects of the placement %q", kept[0])
	}
	return ""
}

// ConfirmPrune checks an object again right before its deletion, and sets its final Action. If the object has changed, it decides the action again. It also
// checks the contents of a Namespace or definition again, with the kinds that the cluster serves now.
func (c *Cluster) ConfirmPrune(ctx context.Context, i *Item, changed bool) error {
	if changed {
		known := i.Contents
		c.decidePrune(i)
		i.Contents = known
	}
	if _, is := source.AsContainer(i.Identifier, i.Live); !is || i.Action != takeover.ActionPrune {
		return nil
	}
	c.Client.ResetDiscovery()
	if c.deferWithContents(i) {
		return nil
	}
	remains, err := c.checkContents(ctx, i)
	if remains {
		c.retain(i)
	} else if err == nil {
		c.holdToExpected(i)
	}
	return err
}
