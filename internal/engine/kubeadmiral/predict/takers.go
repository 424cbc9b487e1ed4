package predict

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// handedTo calls [engine.Takers.HandedTo] for an object on the cluster. It returns "" if the placement still places the object.
func (c *Cluster) handedTo(key manifest.Key) (to, why string) {
	p := c.prediction
	if slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Key() == key }) {
		return "", ""
	}
	return p.options.Takers.HandedTo(p.options.Expected, c.Name, key)
}

// CheckTaken returns an [*engine.PendingHandOverError] if the plan hands over objects that no other placement has taken over yet. These objects still belong
// to this placement, and the apply would delete them.
func (p *Prediction) CheckTaken() error {
	pending := p.Pending()
	if len(pending) == 0 {
		return nil
	}
	return &engine.PendingHandOverError{Giver: p.Placement.Reference.String(), Objects: pending}
}

// Pending returns the objects that the plan hands over, and that no other placement has taken over yet.
func (p *Prediction) Pending() []engine.PendingHandOver {
	var out []engine.PendingHandOver
	check := func(id manifest.Identifier) {
		for _, c := range p.Clusters {
			if to := p.options.Expected.HandsOver(c.Name, id.Key()); to != "" {
				out = append(out, engine.PendingHandOver{Identifier: id, To: to})
				return
			}
		}
	}
	for _, f := range p.Leaving {
		check(f.Identifier())
	}
	for _, container := range p.Containers {
		if container.IsNamespace() {
			check(container.Identifier)
		}
	}
	return out
}
