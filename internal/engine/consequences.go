package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Consequences predicts what a hub does as soon as something changes on which its placements depend, before any of them is applied. An [Engine] whose
// placements change only when they are applied does not implement it.
type Consequences interface {
	// PreviewChange previews the existing placements that change affects. It returns an error if the change is not completely known.
	PreviewChange(ctx context.Context, change World, expected Expectations) ([]Consequence, error)
}

// UnknownChange is the error of a change that is not completely known. unknown names what is not.
func UnknownChange(unknown []string) error {
	return fmt.Errorf("part of the configuration is known only after apply: %s. The apply ends before it writes this if the hub would take over or delete objects of "+
		"existing placements because of it. A plan after that shows these objects", strings.Join(unknown, ", "))
}

// HostNamespaces stands for a placement in the consequence of what a hub does with its own Namespaces. No placement has this name.
const HostNamespaces = "the Namespaces of the host cluster"

// Consequence is what a change makes a hub do with one placement, or with its own Namespaces.
type Consequence struct {
	// Placement is the placement as text, as in [Placement].String, or [HostNamespaces].
	Placement string
	// Preview contains only what the change causes: objects of which the hub would do the same without it are left out. It is nil if Err is set.
	Preview *Preview
	// Err is why the placement could not be previewed.
	Err error
}

// Expectations are the expectations of several placements, by their names as text. A nil map holds for everything. The entry of a placement that its plan
// could not preview is nil.
type Expectations map[string]*Expectation

// Of returns the expectation of a placement. A placement that is missing was not affected when the plan was made.
func (e Expectations) Of(placement string) *Expectation {
	if e == nil {
		return nil
	}
	if found := e[placement]; found != nil {
		return found
	}
	return ExpectNothing()
}

// Hold returns an error if a hub would do what the expectations do not show. It returns the error of a placement that can no longer be previewed.
func (e Expectations) Hold(found []Consequence) error {
	if e == nil {
		return nil
	}
	var contradictions []Contradiction
	for _, c := range found {
		if expected, known := e[c.Placement]; c.Err != nil {
			if known && expected == nil {
				continue // the plan has said so
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

// Beyond returns the preview without what another preview of the same placement shows as well.
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

// fate is what becomes of an object, in a form that can be compared.
type fate struct {
	action   takeover.Action
	obstacle takeover.Obstacle
	mark     string
	contents string
}

func (o ObjectPreview) fate() fate {
	return fate{action: o.Action, obstacle: o.Obstacle, mark: o.Mark, contents: o.Contents.Mark()}
}
