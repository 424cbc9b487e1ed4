package engine

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Contradiction is something that would happen to an object now and that the plan did not show. If Identifier is empty, the contradiction concerns the whole
// cluster.
type Contradiction struct {
	// Placement is the affected placement if the run applies a resource that the placement depends on, and "" if it applies the placement itself.
	Placement string
	Cluster   string
	manifest.Identifier
	Problem string
}

func (c Contradiction) String() string {
	text := fmt.Sprintf("cluster %q: %s", c.Cluster, c.Problem)
	if c.Identifier != (manifest.Identifier{}) {
		text = fmt.Sprintf("%s on %s", c.Identifier, text)
	}
	if c.Placement != "" {
		text = fmt.Sprintf("placement %q: %s", c.Placement, text)
	}
	return text
}

// Contradictions lists the differences between a preview and the expectation. An object has a contradiction if the apply would delete, replace or take over the
// object, and the plan did not show this. A cluster has a contradiction if the plan showed another decision of the scheduler, or if the plan checked the
// cluster and it cannot be checked now. An engine that cannot stop a hub after a write returns the contradictions as an error before its first write. A nil
// expectation has no contradictions.
func (e *Expectation) Contradictions(now *Preview) []Contradiction {
	if e == nil {
		return nil
	}
	var out []Contradiction
	for _, cluster := range now.Clusters {
		if problem := e.contradictsCluster(cluster); problem != "" {
			out = append(out, Contradiction{Cluster: cluster.Name, Problem: problem})
			continue
		}
		for _, o := range cluster.Objects {
			problem := ""
			switch {
			case o.Obstacle == takeover.ObstacleNotAgreed:
				problem = o.Problem
			case o.Action == takeover.ActionPrune:
				problem = e.ContradictsDeletion(cluster.Name, o.Key(), o.Contents)
			case o.Action == takeover.ActionReplace:
				problem = e.ContradictsReplacement(cluster.Name, o.Key())
			case cluster.Err != nil && o.Action == takeover.ActionUnknown && e.isExpectNothing():
				problem = "the plan did not show the deletion, and the cluster cannot be checked"
			}
			if problem != "" {
				out = append(out, Contradiction{Cluster: cluster.Name, Identifier: o.Identifier, Problem: problem})
			}
		}
	}
	return out
}

// Verify returns a *[ContradictionError] if [Expectation.Contradictions] finds any, and nil otherwise.
func (e *Expectation) Verify(now *Preview) error {
	if found := e.Contradictions(now); len(found) > 0 {
		return &ContradictionError{Contradictions: found}
	}
	return nil
}

// ContradictionError is returned when an apply would do something that its plan did not show. Nothing has been written.
type ContradictionError struct{ Contradictions []Contradiction }

const maxContradictions = 20

// Title returns the introduction of the contradictions.
func (*ContradictionError) Title() string {
	return "The apply would make changes that its plan did not show. Nothing was written. Plan again to see the current changes:"
}

func (e *ContradictionError) Error() string {
	lines := []string{e.Title()}
	for i, c := range e.Contradictions {
		if i == maxContradictions {
			lines = append(lines, fmt.Sprintf("  and %d more", len(e.Contradictions)-i))
			break
		}
		lines = append(lines, "  "+c.String())
	}
	return strings.Join(lines, "\n")
}
