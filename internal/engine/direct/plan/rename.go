package plan

import (
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// MisnamedClusters returns the names of the reachable clusters that have records of the placement under other names.
func (p *Plan) MisnamedClusters() []string {
	var out []string
	for _, c := range p.Clusters {
		if c.Err == nil && len(c.MisnamedRecords) > 0 {
			out = append(out, c.Name)
		}
	}
	return out
}

// Renames returns an error if the plan renames the placement on clusters for which the approved plan did not show the rename.
func (p *Plan) Renames() error {
	var found []engine.Contradiction
	for _, name := range p.MisnamedClusters() {
		if problem := p.options.Expected.ContradictsRename(name, p.Cluster(name).FormerNames()); problem != "" {
			found = append(found, engine.Contradiction{Cluster: name, Problem: problem})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &engine.ContradictionError{Contradictions: found}
}

// checkRename returns an error if the placement is to be renamed while its record is lost on a member. Without the record, only the label of the former name
// identifies its objects there.
func (p *Plan) checkRename(survey *Survey) error {
	former := p.Placement.FormerName
	if former == "" || p.options.Purpose == Reading {
		return nil
	}
	for _, m := range survey.Members {
		if m.Err == nil && m.RecordLost {
			return fmt.Errorf("the placement %q cannot be renamed to %q: on the member %q its %s is missing, is an older version, or does not "+
				"verify, so its objects there cannot be identified. Nothing was written. Run apply with the name %q first, which records the objects "+
				"again, then rename",
				former, p.Placement.Name, m.Name, RecordName(former), former)
		}
	}
	return nil
}

// overrideDangers returns a warning for each override that has the placement's former name and no longer applies to its objects.
func (p *Plan) overrideDangers() []engine.Danger {
	former := p.Placement.FormerName
	if former == "" {
		return nil
	}
	var found []override.Reference
	for _, c := range p.Clusters {
		found = append(found, c.Overrides.OnlyFor(former)...)
	}
	slices.SortFunc(found, override.Reference.Compare)
	var out []engine.Danger
	for _, reference := range slices.Compact(found) {
		out = append(out, engine.Danger{
			Path: placement.At("name"), Title: fmt.Sprintf("%s is for the placement %q", reference, former),
			Message: fmt.Sprintf("The argument placement of %s has the former name %q, so the override does not apply to the objects of %q. Change the name in the "+
				"override as well.", reference, former, p.Placement.Name),
		})
	}
	return out
}
