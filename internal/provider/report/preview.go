package report

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	// maxLines is how long a warning may be; what is left out is counted.
	maxLines = 50
	// maxDifferences is how many fields of one object are shown.
	maxDifferences = 4
)

// Preview tells what an apply would do: one warning, with the conflicts first. With refuse, objects that will not be taken over are an
// error.
func Preview(diags *diag.Diagnostics, preview *engine.Preview, strategy placement.ApplyStrategy, refuse bool) {
	counts := count(preview)
	summary := fmt.Sprintf("Placement %q (%s): %s", preview.Placement, plural(counts.clusters, "cluster"), counts.summary())
	detail := detail(preview, counts, strategy)
	at := path.Root("name")
	switch {
	case refuse && counts.refused > 0:
		diags.AddAttributeError(path.Root("on_takeover_conflict"), summary, detail+"\n\n"+
			"on_takeover_conflict is \"error\", so nothing will be applied.")
	default:
		diags.AddAttributeWarning(at, summary, detail)
	}
}

// counts are how many objects meet which fate, over all clusters.
type counts struct {
	create, update, takeOver, refused, remove, release int
	clusters, offline                                  int
	// refusing and overtaken are the clusters with objects that will be left alone, and with such that will be taken over.
	refusing, overtaken []string
}

func count(preview *engine.Preview) counts {
	var out counts
	for _, cluster := range preview.Clusters {
		if cluster.Picked {
			out.clusters++
		}
		if cluster.Err != nil {
			out.offline++
		}
		before := out
		for _, object := range cluster.Objects {
			switch object.Action {
			case engine.ActionCreate:
				out.create++
			case engine.ActionUpdate:
				out.update++
			case engine.ActionTakeOver:
				out.takeOver++
			case engine.ActionRefuse:
				out.refused++
			case engine.ActionDelete:
				out.remove++
			case engine.ActionRelease:
				out.release++
			}
		}
		if out.refused > before.refused {
			out.refusing = append(out.refusing, cluster.Name)
		}
		if out.takeOver > before.takeOver {
			out.overtaken = append(out.overtaken, cluster.Name)
		}
	}
	return out
}

// summary is the one line that a reviewer reads first. It has the numbers, so that warnings of two placements are never merged.
func (c counts) summary() string {
	var parts []string
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	if c.refused > 0 {
		parts = append(parts, fmt.Sprintf("%s on %s left alone", plural(c.refused, "conflict"), names(c.refusing)))
	}
	if c.takeOver > 0 {
		parts = append(parts, fmt.Sprintf("%s on %s to take over", plural(c.takeOver, "existing object"), names(c.overtaken)))
	}
	add(c.create, "%d to create")
	add(c.update, "%d to update")
	add(c.remove, "%d to delete")
	add(c.release, "%d to release")
	if len(parts) == 0 {
		parts = append(parts, "no object to write")
	}
	text := strings.Join(parts, ", ")
	if c.offline > 0 {
		text += fmt.Sprintf("; %s NOT CHECKED", plural(c.offline, "cluster"))
	}
	return text
}

// names lists a few clusters and counts many.
func names(clusters []string) string {
	if len(clusters) > 2 {
		return plural(len(clusters), "cluster")
	}
	return strings.Join(clusters, " and ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// lines collects text and counts what does not fit.
type lines struct {
	text []string
	more int
}

func (l *lines) add(format string, args ...any) {
	if len(l.text) >= maxLines {
		l.more++
		return
	}
	l.text = append(l.text, fmt.Sprintf(format, args...))
}

func (l *lines) String() string {
	if l.more > 0 {
		return strings.Join(l.text, "\n") + fmt.Sprintf("\n... and %s more.", plural(l.more, "line"))
	}
	return strings.Join(l.text, "\n")
}

func detail(preview *engine.Preview, counts counts, strategy placement.ApplyStrategy) string {
	out := &lines{}
	if counts.refused+counts.takeOver > 0 {
		out.add("Objects that exist already (when_to_take_over = %q):", strategy.WhenToTakeOver)
		for _, cluster := range preview.Clusters {
			for _, object := range cluster.Objects {
				if object.Conflict() {
					conflict(out, cluster.Name, object)
				}
			}
		}
		out.add("")
	}
	for _, cluster := range preview.Clusters {
		clusterLine(out, cluster)
	}
	for _, i := range preview.EmptySelectors {
		out.add("resource_selectors[%d] matches nothing now.", i)
	}
	for _, object := range preview.Unselected {
		out.add("The manifest of %s is not selected by any of the resource_selectors and will not be placed.", object)
	}
	if advice := advice(preview, counts, strategy); advice != "" {
		out.add("")
		out.add("%s", advice)
	}
	return out.String()
}

func conflict(out *lines, cluster string, object engine.ObjectPreview) {
	fate := "will be taken over"
	if object.Action == engine.ActionRefuse {
		fate = "stays as it is: " + object.Reason
	}
	owner := ""
	if object.Owner.Kind != takeover.OwnerNone && object.Owner.Kind != "" {
		owner = " (" + object.Owner.String() + ")"
	}
	source := ""
	if object.Envelope != nil {
		source = fmt.Sprintf(", from envelope %s/%s", object.Envelope.Namespace, object.Envelope.Name)
	}
	if !object.Exists {
		out.add("  %s  %s%s cannot be placed: %s", cluster, object.Identifier, source, object.Message)
		return
	}
	out.add("  %s  %s%s%s %s", cluster, object.Identifier, owner, source, fate)
	if object.Action == engine.ActionRefuse && object.Reason != takeover.ReasonNotTakenOver && len(object.Differences) == 0 {
		out.add("      %s", object.Message)
	}
	for i, difference := range object.Differences {
		if i == maxDifferences {
			out.add("      and %s more", plural(len(object.Differences)-i, "field"))
			break
		}
		out.add("      %s: %s on %s, %s to be placed", difference.Path,
			value(difference.InMember, difference.HasMember), cluster, value(difference.InHub, difference.HasHub))
	}
}

func value(v any, there bool) string {
	if !there {
		return "absent"
	}
	return takeover.Render(v)
}

func clusterLine(out *lines, cluster engine.ClusterPreview) {
	tally := map[engine.Action]int{}
	for _, object := range cluster.Objects {
		tally[object.Action]++
	}
	var parts []string
	for _, of := range []struct {
		action engine.Action
		word   string
	}{
		{engine.ActionRefuse, "leave alone"}, {engine.ActionTakeOver, "take over"}, {engine.ActionCreate, "create"}, {engine.ActionUpdate, "update"},
		{engine.ActionDelete, "delete"}, {engine.ActionRelease, "release"}, {engine.ActionNone, "unchanged"},
	} {
		if n := tally[of.action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", of.word, n))
		}
	}
	switch {
	case cluster.Problem != "":
		out.add("%s: CANNOT BE PLACED. %s", cluster.Name, cluster.Problem)
	case cluster.Err != nil && cluster.Picked:
		out.add("%s: NOT CHECKED, the placement stays there. %s", cluster.Name, cluster.Err)
	case cluster.Err != nil:
		out.add("%s: NOT CHECKED. %s", cluster.Name, cluster.Err)
	case !cluster.Picked && len(parts) > 0:
		out.add("%s: no longer picked (%s): %s", cluster.Name, cluster.Reason, strings.Join(parts, ", "))
	case !cluster.Picked:
		out.add("%s: not picked: %s", cluster.Name, cluster.Reason)
	case len(parts) == 0:
		out.add("%s: nothing to place", cluster.Name)
	default:
		out.add("%s: %s%s%s", cluster.Name, strings.Join(parts, ", "), joining(cluster), looked(cluster.Look))
	}
}

func joining(cluster engine.ClusterPreview) string {
	if cluster.Joining {
		return " (once it has joined the fleet)"
	}
	return ""
}

func looked(look engine.Look) string {
	if look == engine.LookDryRun {
		return " (asked the API server with a dry run)"
	}
	return ""
}

// advice says what to do about the worst that was found.
func advice(preview *engine.Preview, counts counts, strategy placement.ApplyStrategy) string {
	switch {
	case len(preview.Selected) == 0:
		return "The selectors match nothing at all. That is an error when applied, unless what they select is made in the same apply."
	case counts.refused > 0 && strategy.WhenToTakeOver == placement.TakeOverNever:
		return "Objects that are left alone stay out of the placement and are reported in status.placement_statuses[*].failed_placements. To take " +
			"them over, set strategy.apply_strategy.when_to_take_over to \"IfNoDiff\" (only what does not differ) or \"Always\" (overwrites the " +
			"differences shown)."
	case counts.refused > 0 && strategy.WhenToTakeOver == placement.TakeOverIfNoDiff:
		return "Make the placed object equal to the one on the cluster, or set strategy.apply_strategy.when_to_take_over to \"Always\" to overwrite " +
			"the differences shown."
	case counts.takeOver > 0:
		return "What is taken over is written from now on as it is placed; the fields shown are overwritten. Destroying the placement leaves these " +
			"objects on the clusters."
	default:
		return ""
	}
}
