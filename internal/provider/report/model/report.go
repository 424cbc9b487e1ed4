// Package model converts a preview to the value that every format shows: rows of objects and clusters, counts, notes and advice. Its texts have no layout.
// Texts from clusters, except [Value].Text, are cut to a maximum length, and contain only printable characters.
package model

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Report is a preview as every format shows it.
type Report struct {
	Placement string
	Strategy  placement.ApplyStrategy
	// OnHub means that a hub applies the placement. External, KeepsAdopted and Removing are those of [engine.HubPreview].
	OnHub, External, KeepsAdopted, Removing bool
	// Fulfilled reports that the policy gets all its clusters, Selects that the selectors select objects. Complete reports that everything is known before the
	// apply.
	Fulfilled, Selects, Complete bool
	Counts                       Counts
	// Rows are what happens to objects, by action. Created are the objects that are created, without those in Arriving, and on
	// new clusters without those that the plan names elsewhere.
	Rows    map[takeover.Action][]*Row
	Created []Creation
	// Arriving are the objects that are created after another placement has defined their kind.
	Arriving []Creation
	// Missing are the workloads whose Pods need an object that is missing.
	Missing  []*Lacking
	Clusters []*Cluster
	// Renaming is the note about a rename in place, or "".
	Renaming string
	// Remarks are notes about how the placement is applied. Cautions are notes that require a warning.
	Remarks, Cautions []string
	// Rollout is the order of a hub's rollout, or ""; Blocked reports that something blocks it.
	Rollout string
	Blocked bool
	// Supplies are notes about the kinds that this placement defines and that others lack.
	Supplies []string
	// Advice is what to do, the most important first: paragraphs, each of one or more pieces. A run shows each piece once.
	Advice        [][]string
	NamesClusters bool
	// Holds reports that the deletion of an object is blocked because it would delete other objects as well.
	Holds bool

	options Options
}

// New returns the report of a preview.
func New(preview *engine.Preview, options Options) *Report {
	r := &Report{
		Placement: Name(preview.Placement), Strategy: options.Strategy, OnHub: preview.Hub != nil, External: preview.OnHub().External, KeepsAdopted: preview.OnHub().KeepsAdopted,
		Removing: preview.OnHub().Removing, Fulfilled: preview.Fulfilled, Selects: len(preview.Selected) > 0, Complete: len(preview.Unknown) == 0,
		Counts: newCounts(preview, options), Rows: newRows(preview, options), Created: listCreated(preview, options), Arriving: listArriving(preview), Missing: listLacking(preview),
		Clusters: newClusters(preview, options), Renaming: describeRename(preview), Remarks: listRemarks(preview), Cautions: listCautions(preview), Rollout: describeRollout(preview),
		Blocked: preview.OnHub().Hold != nil, Supplies: listSupplies(preview), Holds: isHeld(preview), NamesClusters: options.NamesClusters, options: options,
	}
	r.Advice = listAdvice(preview, r.Counts, options)
	return r
}

// NeedsWarning reports whether a person has to weigh what the plan shows: for example an object, a cluster that could not be checked, or a caution.
func (r *Report) NeedsWarning() bool {
	c := r.Counts
	return r.IsNowhere() || c.Offline+c.Unplaceable+c.Missing.N+c.Drifts.N > 0 || r.options.Resumes || r.Blocked || !r.Selects || len(r.Cautions) > 0 ||
		slices.ContainsFunc(r.Clusters, func(c *Cluster) bool { return c.RecordLost || c.Weighs })
}

// IsNowhere reports whether no cluster is picked although the policy asks for some.
func (r *Report) IsNowhere() bool { return r.Counts.Clusters == 0 && !r.options.WantsNone }

// Changed returns the clusters on which an object changes.
func (r *Report) Changed() []*Cluster {
	return slices.DeleteFunc(slices.Clone(r.Clusters), func(c *Cluster) bool { return !c.Changes })
}

// NotUpdated returns the objects that remain drifted: those of the placement, and those that other placements hand over to it.
func (r *Report) NotUpdated() []*Row {
	return append(slices.Clone(r.Rows[takeover.ActionLeaveDrifted]),
		slices.DeleteFunc(slices.Clone(r.Rows[takeover.ActionTakeOverFrom]), func(row *Row) bool { return !row.RemainsDrifted })...)
}

// Weighed returns the rows that a person has to weigh.
func Weighed(rows []*Row) []*Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return !r.Weighs })
}

// Retries returns who tries again to place the objects that cannot be placed now.
func (r *Report) Retries() string {
	if r.OnHub {
		return "the hub retries on its own"
	}
	return "every apply retries"
}

// Removed returns the sum over all clusters.
func (r *Report) Removed() Removed {
	var out Removed
	for _, c := range r.Clusters {
		out.Deleted += c.Removed.Deleted
		out.Occupied += c.Removed.Occupied
		out.Handed += c.Removed.Handed
		out.Kept += c.Removed.Kept
		out.Unknown += c.Removed.Unknown
	}
	return out
}

// Removal returns the numbers of a removal over all clusters.
func (r *Report) Removal() string {
	parts := r.Removed().format([5]string{
		"%d to delete", "%d to delete if another placement is removed", "%d handed over", "%d left on the cluster", "%d to remove (not checked)",
	})
	offline, unrecorded, unconnected := 0, 0, 0
	for _, c := range r.Clusters {
		switch {
		case c.Unconnected:
			unconnected++
		case c.Err != "":
			offline++
		case c.RecordLost:
			unrecorded++
		}
	}
	for _, part := range []struct {
		n    int
		text string
	}{{offline, " NOT CHECKED"}, {unrecorded, " WITHOUT A VALID RECORD"}, {unconnected, " SKIPPED (no connection)"}} {
		if part.n > 0 {
			parts = append(parts, words.Count(part.n, "cluster")+part.text)
		}
	}
	if len(parts) == 0 {
		return "nothing to delete"
	}
	return strings.Join(parts, ", ")
}

// DeletesNothing reports whether a removal is known to keep every object.
func (r *Report) DeletesNothing() bool {
	for _, c := range r.Clusters {
		if c.Err != "" && !c.Unconnected || c.Removed.Deleted+c.Removed.Occupied+c.Removed.Unknown > 0 {
			return false
		}
	}
	return true
}

// DescribeReplacement says what the replacement of the placement does. why is the reason for it, as a clause.
func (r *Report) DescribeReplacement(why string) string {
	if r.DeletesNothing() {
		return why + ", so the apply removes the placement first, and keeps its objects on the clusters. They are pre-existing objects for the new placement."
	}
	return why + ", so the apply DELETES the objects of the placement first, and then creates them again. Until then " +
		"the workload is unavailable, and the data that it keeps on the clusters is lost."
}
