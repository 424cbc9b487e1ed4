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

// decidePrunes decides about what no longer belongs on the cluster: first about each by itself, then about those that would take others
// with them. It returns an error if the cluster does not answer; then nothing is decided about any.
func (c *Cluster) decidePrunes(ctx context.Context) error {
	for _, i := range c.Prunable {
		c.decidePrune(i)
	}
	c.going = c.goingAlone()
	var held []*Item
	var failed error
	for _, i := range c.Prunable {
		if i.Action != takeover.ActionPrune {
			continue
		}
		if c.deferWithContents(i) {
			continue
		}
		holds, err := c.holdsBack(ctx, i)
		if err != nil {
			failed = err
			break
		}
		if holds {
			held = append(held, i)
			continue
		}
		c.holdToExpected(i)
	}
	for _, i := range held {
		c.keep(i) // after all decisions: an object that stays is no reason to keep another one
	}
	if failed != nil {
		for _, i := range c.Prunable {
			i.ObjectPreview = engine.ObjectPreview{Identifier: i.Identifier, Action: takeover.ActionNone}
		}
	}
	return failed
}

// goingAlone are the objects that are deleted, or were by an earlier try. An object that is to stay is not among them though the placement
// has made it.
func (c *Cluster) goingAlone() memberpreview.Going {
	out := memberpreview.Going{}
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

// holdsBack checks what would be deleted along with an object, and reports whether that keeps the object on the cluster. An object is Unseen if this
// could not be checked now: it is neither deleted nor kept for good. Nor is one that is occupied.
func (c *Cluster) holdsBack(ctx context.Context, i *Item) (bool, error) {
	container, is := source.AsContainer(i.Identifier, i.Live)
	if !is {
		return false, nil
	}
	i.Contents, i.Unseen, i.Obstacle, i.Problem = nil, nil, takeover.ObstacleNone, ""
	others := c.occupantsOf(container)
	if tenant := c.tenant(container, others); tenant != "" {
		i.Obstacle, i.Problem = takeover.ObstacleContents, "its deletion would also delete "+tenant
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

// keep leaves an object for good that something else keeps on the cluster. A deletion that the plan shows is deferred if another placement keeps it: the
// plan takes a placement that the run removes for gone, and Terraform may remove it later. It is deferred as well if the plan could not check the cluster.
func (c *Cluster) keep(i *Item) {
	i.Action = takeover.ActionOrphan
	container, is := source.AsContainer(i.Identifier, i.Live)
	switch expected := c.plan.options.Expected; {
	case !is || expected == nil:
		return
	case !expected.Checked(c.Name):
		i.Action, i.Obstacle = takeover.ActionDefer, takeover.ObstacleNotAgreed
		i.Problem += "; the plan did not check the cluster, so that it did not show this"
		return
	}
	if names := c.OtherPlacements.inside(container); len(names) > 0 && c.agreesToDelete(i) {
		c.occupy(i, names)
	}
}

// tenant names an object that keeps a container on the cluster whatever the configuration says: one that the placement places or hands over, one of its
// own that could not be read, or one of another placement. It returns "" for none.
func (c *Cluster) tenant(container source.Container, others occupants.Occupants) string {
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
			return fmt.Sprintf("%s, which is handed over to the placement %q,", other.Identifier, other.To)
		}
	}
	if kept := others.With(engine.FateKept); len(kept) > 0 {
		return fmt.Sprintf("objects of the placement %q", kept[0])
	}
	return ""
}

// ConfirmPrune looks once more at an object that is to be deleted, right before it is. One that has changed since it was decided about is
// decided about again; into a Namespace or definition it is looked again in any case, with the kinds that the cluster has now. What the
// object's Action is then is to be done.
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
	holds, err := c.holdsBack(ctx, i)
	if holds {
		c.keep(i)
	} else if err == nil {
		c.holdToExpected(i)
	}
	return err
}
