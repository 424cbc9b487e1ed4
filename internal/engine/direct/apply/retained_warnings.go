package apply

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// retainedWarnings returns warnings about records that were edited or lost, and about objects that remain although they no longer belong on a cluster.
func (r *run) retainedWarnings() []string {
	var out []string
	for _, name := range r.plan.Names() {
		c := r.clusters[name]
		var lost []manifest.Identifier
		for _, i := range c.Prunable {
			o := c.Outcome(&i.Object)
			if o == nil || o.Failure != nil {
				continue
			}
			switch isOrphaned := i.Action == takeover.ActionOrphan; {
			case r.plan.Removing && i.Obstacle == takeover.ObstacleOccupied: // the error of the removal reports the object
			case i.Action == takeover.ActionHandOver:
				out = append(out, fmt.Sprintf("Cluster %q: %s stays on the cluster until the placement %q takes it over. Apply again.",
					c.Name, i.Identifier, i.To))
			case isOrphaned && i.Obstacle == takeover.ObstacleContents, i.Action == takeover.ActionDefer:
				out = append(out, fmt.Sprintf("Cluster %q: %s stays on the cluster: %s.", c.Name, i.Identifier, i.Problem))
			case isOrphaned && i.Obstacle == takeover.ObstacleAdopted && i.Entry.Lost:
				lost = append(lost, i.Identifier)
			}
		}
		if len(lost) > 0 {
			out = append(out, fmt.Sprintf("Cluster %q: %d object(s) remain on the cluster and count as pre-existing, because the record of who "+
				"created them was lost: %s.", c.Name, len(lost), engine.Some(lost)))
		}
		for _, id := range c.Unusable {
			if !c.hasWritten() {
				break // the record was not written
			}
			out = append(out, fmt.Sprintf("Cluster %q: the record of the placement %q had an entry that cannot be an object, %q. The provider writes no such entries, "+
				"so the record was edited. The entry was removed, and nothing was deleted for it.", c.Name, r.plan.Placement.Name, id.String()))
		}
		if text := c.unrecordedWarning(); text != "" {
			out = append(out, text)
		}
	}
	return out
}

func (c *cluster) unrecordedWarning() string {
	found, name := c.Unrecorded(), c.plan.Placement.Name
	if len(found)+len(c.UnsearchedKinds) == 0 {
		return ""
	}
	text := fmt.Sprintf("The record of the placement %q is missing on the member %q, is an older version, or does not verify. It is unknown which of the objects "+
		"there the placement created and which it took over.", name, c.Name)
	if len(found) > 0 {
		text += fmt.Sprintf(" %d object(s) with its label remain there: %s. To remove them, delete the objects that \"kubectl get KIND "+
			"--all-namespaces --selector %s\" shows for each kind.", len(found), engine.Some(found), plan.Selector(name))
	}
	if len(c.UnsearchedKinds) > 0 {
		text += fmt.Sprintf(" %d kind(s) could not be listed: %s.", len(c.UnsearchedKinds), words.First(c.UnsearchedKinds, 10))
	}
	return text
}
