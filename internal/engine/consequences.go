package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Consequences predicts the effect of a change to something that placements depend on, for example a member. A hub acts on the change immediately, even if no
// placement is applied. An [Engine] whose placements change only when they are applied does not implement Consequences.
type Consequences interface {
	// PreviewChange previews the existing placements that the change affects. An apply passes the expectations of its plan, and a plan passes nil.
	// PreviewChange returns an error if an unknown part of the change may affect a placement.
	PreviewChange(ctx context.Context, change World, expected Expectations) ([]Consequence, error)
}

// UnknownChange returns the error for a change that is not completely known. unknown names the unknown parts.
func UnknownChange(unknown []string) error {
	return fmt.Errorf("part of the configuration is known only after apply: %s. If this part makes the hub take over or delete objects of existing placements, the "+
		"apply returns an error before it writes the change. The next plan then shows these objects", strings.Join(unknown, ", "))
}

// HostNamespaces names a hub's own Namespaces in a Consequence. No placement has this name.
const HostNamespaces = "the Namespaces of the host cluster"

// Consequence is the effect of a change on one placement, or on the hub's own Namespaces.
type Consequence struct {
	// Placement is the placement as text, as in [Placement].String, or [HostNamespaces].
	Placement string
	// Preview contains only the effects of the change: it omits objects that the hub treats the same with and without the change. It is nil if Err is set.
	Preview *Preview
	// Err is the reason why the placement could not be previewed.
	Err error
}

// Expectations maps each placement, as text as in [Placement].String, to its expectation. A nil map allows everything. The entry of a placement that the plan
// could not preview is nil.
type Expectations map[string]*Expectation

// Of returns the expectation of a placement. For nil expectations, it returns nil, which allows everything. For a placement that the plan did not affect or
// could not preview, it returns [ExpectNothing].
func (e Expectations) Of(placement string) *Expectation {
	if e == nil {
		return nil
	}
	if found := e[placement]; found != nil {
		return found
	}
	return ExpectNothing()
}

// Verify returns a *[ContradictionError] if a hub would do something that the expectations do not show. If a placement cannot be previewed now, Verify returns
// the error of its preview. If the plan could not preview the placement either, Verify ignores it.
func (e Expectations) Verify(found []Consequence) error {
	if e == nil {
		return nil
	}
	var contradictions []Contradiction
	for _, c := range found {
		if expected, known := e[c.Placement]; c.Err != nil {
			if known && expected == nil {
				continue // the plan could not preview the placement either
			}
			return fmt.Errorf("placement %q: %w", c.Placement, c.Err)
		}
		for _, contradiction := range e.Of(c.Placement).Contradictions(c.Preview) {
			contradiction.Placement = c.Placement
			contradictions = append(contradictions, contradiction)
		}
	}
	if len(contradictions) > 0 {
		return &ContradictionError{Contradictions: contradictions}
	}
	return nil
}

// Beyond returns the preview without the objects for which other, another preview of the same placement, shows the same effect. It clears
// [ClusterPreview.Resume] of each cluster for which other sets it.
func (p *Preview) Beyond(other *Preview) *Preview {
	out := *p
	out.Clusters = slices.Clone(p.Clusters)
	for i, cluster := range out.Clusters {
		at := slices.IndexFunc(other.Clusters, func(c ClusterPreview) bool { return c.Name == cluster.Name })
		if at < 0 {
			continue
		}
		shown := map[manifest.Key]fate{}
		for _, o := range other.Clusters[at].Objects {
			shown[o.Key()] = o.fate()
		}
		out.Clusters[i].Resume = cluster.Resume && !other.Clusters[at].Resume
		out.Clusters[i].Objects = slices.DeleteFunc(slices.Clone(cluster.Objects), func(o ObjectPreview) bool {
			same, found := shown[o.Key()]
			return found && same == o.fate()
		})
	}
	return &out
}

// fate is the effect of an apply on an object, in a comparable form.
type fate struct {
	action   takeover.Action
	obstacle takeover.Obstacle
	mark     string
	contents string
}

func (o ObjectPreview) fate() fate {
	return fate{action: o.Action, obstacle: o.Obstacle, mark: o.Mark, contents: o.Contents.Mark()}
}
