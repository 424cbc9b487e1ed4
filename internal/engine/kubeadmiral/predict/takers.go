package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// handedTo returns the placement that an object on the cluster is left to, "" for none: as the plan that is applied shows, or as the placements take it over that
// were planned before this one. why is set if that placement may not take it over in this run.
func (c *Cluster) handedTo(key manifest.Key) (to, why string) {
	p := c.prediction
	if slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Key() == key }) {
		return "", ""
	}
	if to = p.options.Expected.HandsOver(c.Name, key); to != "" {
		return to, ""
	}
	return p.options.Takers.Of(c.Name, key)
}

// CheckTaken returns a *[NotTakenError] if the plan hands objects over that no other placement has taken over: they are still the placement's own, and the apply or
// the removal would delete them.
func (p *Prediction) CheckTaken() error {
	out := &NotTakenError{Giver: p.Placement.Reference.String()}
	check := func(id manifest.Identifier) {
		for _, c := range p.Clusters {
			if to := p.options.Expected.HandsOver(c.Name, id.Key()); to != "" {
				out.Taker, out.Objects = to, append(out.Objects, id)
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
	if len(out.Objects) == 0 {
		return nil
	}
	return out
}

// NotTakenError is returned for a placement that was to hand objects over to another one, which has not taken them over.
type NotTakenError struct {
	Giver, Taker string
	Objects      []manifest.Identifier
}

func (e *NotTakenError) Error() string {
	names := make([]string, len(e.Objects))
	for i, id := range e.Objects {
		names[i] = id.String()
	}
	const most = 10
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("placement %q was to hand objects over to placement %q, which has not taken them over: %s. Nothing was written, and nothing is deleted. Apply "+
		"again: the hand-over continues once %q is applied", e.Giver, e.Taker, text, e.Taker)
}
