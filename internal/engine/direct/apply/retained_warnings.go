package apply

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// spared are the objects that were to be deleted, and stay: because others depend on them, because the plan has not shown it, or because it is
// not known any more who made them.
func (r *run) spared() []string {
	var out []string
	for _, name := range r.plan.Names() {
		c := r.clusters[name]
		var lost []manifest.Identifier
		for _, i := range c.Prunable {
			o := c.Outcome(&i.Object)
			if o == nil || o.Failure != nil {
				continue
			}
			switch held := i.Action == takeover.ActionOrphan; {
			case r.plan.Removing && i.Obstacle == takeover.ObstacleOccupied: // the error says it
			case i.Action == takeover.ActionHandOver:
				out = append(out, fmt.Sprintf("Cluster %q: %s stays on the cluster until the placement %q takes it over, which has not been done yet. Apply again.",
					c.Name, i.Identifier, i.To))
			case held && i.Obstacle == takeover.ObstacleContents, i.Action == takeover.ActionDefer:
				out = append(out, fmt.Sprintf("Cluster %q: %s stays on the cluster: %s.", c.Name, i.Identifier, i.Problem))
			case held && i.Obstacle == takeover.ObstacleAdopted && i.Entry.Lost:
				lost = append(lost, i.Identifier)
			}
		}
		if len(lost) > 0 {
			out = append(out, fmt.Sprintf("Cluster %q: %d object(s) stay on the cluster, because the record that told who made them was lost, so that they "+
				"count as objects that were there before: %s.", c.Name, len(lost), engine.Some(lost)))
		}
		for _, id := range c.Unusable {
			if !c.written() {
				break // the record is as it was
			}
			out = append(out, fmt.Sprintf("Cluster %q: the record of the placement %q had an entry that cannot be an object, %q. The provider writes no such entries, "+
				"so the record was edited. The entry was removed, and nothing was deleted for it.", c.Name, r.plan.Placement.Name, id.String()))
		}
		if text := c.unrecorded(); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// unrecorded tells what was found by the placement's label where its record is lost, and what was not looked through for it; "" for nothing.
func (c *cluster) unrecorded() string {
	found, name := c.Unrecorded(), c.plan.Placement.Name
	if len(found)+len(c.Unlooked) == 0 {
		return ""
	}
	text := fmt.Sprintf("The record of the placement %q is missing on the member %q, or older than it was, so it is not known which of the objects there the "+
		"placement made and which it took over.", name, c.Name)
	if len(found) > 0 {
		text += fmt.Sprintf(" %d object(s) that carry its label were left behind: %s. To remove them, delete what \"kubectl get KIND --all-namespaces "+
			"--selector %s\" shows of each kind.", len(found), engine.Some(found), plan.Selector(name))
	}
	if len(c.Unlooked) > 0 {
		text += fmt.Sprintf(" %d kind(s) could not be looked through: %s.", len(c.Unlooked), some(c.Unlooked))
	}
	return text
}

// some names a few of many kinds.
func some(kinds []string) string {
	const most = 10
	if more := len(kinds) - most; more > 0 {
		return strings.Join(kinds[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(kinds, ", ")
}
