package engine

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Contradiction is something that would be done to an object now and that the plan did not show.
type Contradiction struct {
	Cluster string
	manifest.Identifier
	Problem string
}

// Contradictions lists what a preview shows that an expectation does not: an engine that cannot stop a hub once it has written returns them as an
// error before its first write. There are none without an expectation.
func (e *Expectation) Contradictions(now *Preview) []Contradiction {
	if e == nil {
		return nil
	}
	var out []Contradiction
	for _, cluster := range now.Clusters {
		for _, o := range cluster.Objects {
			problem := ""
			switch {
			case o.Obstacle == takeover.ObstacleNotAgreed:
				problem = o.Problem
			case o.Action == takeover.ActionPrune:
				problem = e.ContradictsDeletion(cluster.Name, o.Key(), o.Contents)
			case o.Action == takeover.ActionReplace:
				problem = e.ContradictsReplacement(cluster.Name, o.Key())
			case o.Action == takeover.ActionCreate:
				problem = e.ContradictsPick(cluster.Name)
			}
			if problem != "" {
				out = append(out, Contradiction{Cluster: cluster.Name, Identifier: o.Identifier, Problem: problem})
			}
		}
	}
	return out
}

// Hold returns an [ContradictionError] if a preview shows something that the expectation does not, and nil otherwise.
func (e *Expectation) Hold(now *Preview) error {
	if found := e.Contradictions(now); len(found) > 0 {
		return &ContradictionError{Contradictions: found}
	}
	return nil
}

// ContradictionError is returned when an apply would do something that its plan did not show. Nothing has been written.
type ContradictionError struct{ Contradictions []Contradiction }

// maxContradictions is how many are named before the rest is counted.
const maxContradictions = 20

func (e *ContradictionError) Error() string {
	objects := "1 object has"
	if n := len(e.Contradictions); n > 1 {
		objects = fmt.Sprintf("%d objects have", n)
	}
	lines := []string{objects + " changed since the plan was made. Nothing was written. Plan again to see what an apply does now:"}
	for i, c := range e.Contradictions {
		if i == maxContradictions {
			lines = append(lines, fmt.Sprintf("  and %d more", len(e.Contradictions)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("  %s on cluster %q: %s", c.Identifier, c.Cluster, c.Problem))
	}
	return strings.Join(lines, "\n")
}
