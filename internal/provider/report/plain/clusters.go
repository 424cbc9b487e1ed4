package plain

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// ClusterLine is a line about all clusters with the same text.
type ClusterLine struct {
	Names []string
	clusterText
}

type clusterText struct {
	text string
	// message is the error of a cluster that could not be checked, or "". cause is the result of [model.RootCause].
	message, cause string
	// limits says how the cluster was checked if not every write was tried there.
	limits string
}

func withError(text string, c *model.Cluster) clusterText {
	return clusterText{text: text, message: c.Err, cause: c.RootCause}
}

// Key is equal for two lines with the same clusters and the same text.
func (l *ClusterLine) Key() string {
	return strings.Join(append(slices.Clone(l.Names), l.text, l.message), "\n")
}

// Text returns the text about the clusters. If the run has already shown the error, the text has [SameError] instead.
func (l *ClusterLine) Text(first func(text string) bool) string {
	switch {
	case l.message == "":
		return l.text
	case IsFirstError(l.Names, l.cause, first):
		return l.text + " " + l.message
	default:
		return l.text + " " + SameError
	}
}

// SameError is shown instead of an error that the run shows elsewhere.
const SameError = "The error is shown elsewhere in this run."

// IsFirstError reports whether the run shows an error for the first time for at least one of the clusters. It returns true if there are no clusters.
func IsFirstError(clusters []string, cause string, first func(text string) bool) bool {
	isNew := false
	for _, cluster := range clusters {
		isNew = first("the error of "+cluster+": "+cause) || isNew
	}
	return isNew || len(clusters) == 0
}

// ClusterLines returns the lines about the clusters that satisfy the function is. Clusters with the same text share a line.
func ClusterLines(r *model.Report, is func(*model.Cluster) bool) []*ClusterLine {
	return collectLines(r, is, describeApply)
}

func collectLines(r *model.Report, is func(*model.Cluster) bool, describe func(*model.Cluster) clusterText) []*ClusterLine {
	var out []*ClusterLine
	for _, c := range r.Clusters {
		if !is(c) {
			continue
		}
		text := describe(c)
		if c.Err == "" && c.Problem == "" {
			text.limits = c.Limits
		}
		i := slices.IndexFunc(out, func(line *ClusterLine) bool { return line.clusterText == text })
		if i < 0 {
			i = len(out)
			out = append(out, &ClusterLine{clusterText: text})
		}
		out[i].Names = append(out[i].Names, c.Name)
	}
	return out
}

// Clusters returns a section with the [ClusterLines]. A run shows the error of a cluster once.
func Clusters(r *model.Report, first func(text string) bool, is func(*model.Cluster) bool) *Section {
	return clusterSection(ClusterLines(r, is), first)
}

// RemovalClusters is [Clusters] for a removal.
func RemovalClusters(r *model.Report, first func(text string) bool, is func(*model.Cluster) bool) *Section {
	return clusterSection(collectLines(r, is, describeRemoval), first)
}

func clusterSection(lines []*ClusterLine, first func(text string) bool) *Section {
	out := &Section{Title: "Clusters:", Unit: "line", Reserve: 12}
	for _, line := range lines {
		out.Add("  " + words.List(line.Names, model.MaxClusters) + ": " + Clauses(line.Text(first), line.limits))
	}
	return out
}

func describeApply(c *model.Cluster) clusterText {
	switch {
	case c.Problem != "" || c.Err == "":
		return clusterText{text: describeChecked(c)}
	case c.Picked:
		return withError("NOT CHECKED; existing objects stay.", c)
	case c.Remains:
		return withError("NOT CHECKED, NO LONGER PICKED: its objects remain until an apply reaches the cluster.", c)
	default:
		return withError("NOT CHECKED.", c)
	}
}

func describeRemoval(c *model.Cluster) clusterText {
	switch {
	case c.Unconnected:
		return clusterText{text: "SKIPPED: the provider has no connection to the cluster. The placement's objects and record remain there."}
	case c.Err != "":
		return withError("NOT CHECKED.", c)
	default:
		return clusterText{text: Clauses(c.Removed.String(), c.Lost("remain"))}
	}
}

// describeChecked says what an apply does on a cluster that could be checked, or on which nothing can be placed.
func describeChecked(c *model.Cluster) string {
	tally := Clauses(c.Tally+c.Record, c.Lost(model.RecordedAgain))
	switch {
	case c.Problem != "":
		return "CANNOT BE PLACED. " + c.Problem
	case !c.Picked && tally != "":
		return "NO LONGER PICKED (" + c.Cause + "): " + tally
	case !c.Picked:
		return "not picked: " + c.Cause
	case tally == "":
		return withScores(c, "nothing to place")
	default:
		return withScores(c, tally)
	}
}

// withScores adds to a text the scores of a picked cluster, and that a cluster joins the fleet.
func withScores(c *model.Cluster, text string) string {
	if c.Picked {
		text += Bracketed(c.Scores)
	}
	if c.Joining {
		text += Bracketed(afterJoining)
	}
	return text
}

const afterJoining = "after joining the fleet"
