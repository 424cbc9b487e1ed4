package takeover

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const (
	foundDiff = "Diff has been found between the hub cluster and the member cluster"
	noDiff    = "No diff has been found between the hub cluster and the member cluster"
	blocked   = "An error blocks the diff reporting process ("
	unowned   = "reporting takes ownership of nothing, whatever whenToTakeOver says: removing the placement would delete what was only to be " +
		"reported"
)

func reporting(when placement.WhenToTakeOver) placement.ApplyStrategy {
	return placement.ApplyStrategy{Type: placement.ReportDiff, WhenToTakeOver: when}
}

func reported(reason, message string, diffs ...placement.PatchDetail) want {
	return want{action: engine.ActionReport, reason: reason, message: message, diffs: diffs}
}

// reports are the rows of the decision table for strategy type ReportDiff that need no admission rule.
var reports = []scenario{
	{
		name: "R1 absent", placed: placedA1, how: reporting(never), want: reported("FoundDiff", foundDiff, patch("/", "", "(the whole object)")),
		after: func(w *world) {
			if w.get(w.ref(it)) != nil {
				w.Error("it was created")
			}
		},
	},
	{
		name: "R2 Never, no difference", before: []step{put("kubectl", placedA1)}, placed: placedA1, how: reporting(never),
		want: reported("NoDiffFound", noDiff), after: unmarked,
	},
	{
		name: "R2 ours, no difference", earlier: placedA1, earlierHow: new(takeOver(always)), placed: placedA1, how: reporting(always),
		want: reported("NoDiffFound", noDiff),
	},
	{
		name: "R3 Never, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: reporting(never),
		want: reported("FoundDiff", foundDiff, a2...), after: unmarked,
	},
	{
		name: "R3 ours, differences", earlier: placedA2, earlierHow: new(takeOver(always)), placed: placedA1, how: reporting(ifNoDiff),
		want: reported("FoundDiff", foundDiff, a2...), after: has(it, "2", "data", "a"),
	},
	{
		name:   "R4 Never, the dry run is refused as invalid",
		before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"2\"}, immutable: true}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"1\"}, immutable: true}\n---\n" +
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: absent}}",
		how: reporting(never), want: reported("FoundDiffInDegradedMode", "Diff has been found in degraded mode", a2...),
		readOnly: engine.ActionReport,
		differs:  "one object that is compared in degraded mode does not hide the differences of the cluster's other objects",
		after: func(w *world) {
			if len(w.status.DiffedPlacements) != 2 {
				w.Errorf("reported: %+v", w.status.DiffedPlacements)
			}
		},
	},
	{
		name: "R5 Always, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: reporting(always),
		want: reported("FoundDiff", foundDiff, a2...), after: unmarked, differs: unowned,
	},
	{
		name: "R6 IfNoDiff, no difference", before: []step{put("kubectl", placedA1)}, placed: placedA1, how: reporting(ifNoDiff),
		want: reported("NoDiffFound", noDiff), after: unmarked, differs: unowned,
	},
	{
		name: "R7 IfNoDiff, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: reporting(ifNoDiff),
		want: want{
			action: engine.ActionReport, reason: "FailedToReportDiff", fields: []string{"data.a"},
			message: blocked + "FailedToTakeOver, error: cannot take over object: configuration differences are found ",
		},
	},
	{
		name: "R8 another owner", before: []step{put("kubectl", theOwner+"\n---\n"+theirsA2), ownedBy(it, owner)}, placed: placedA1,
		how: reporting(always), want: reported("FailedToReportDiff", blocked+"FailedToTakeOver, error: failed to take over a pre-existing object: the "+
			"object is already owned by some other sources(s)"),
	},
	{
		name: "R10 a kind that the member does not serve", placed: "{apiVersion: $ns.example.com/v1, kind: Gadget, metadata: {name: it}}",
		how: reporting(never), want: reported("FailedToReportDiff", blocked+"DecodingErred, error: failed to decode manifest: failed to find GVR from "+
			"member cluster client REST mapping"),
	},
}

func TestReports(t *testing.T) {
	t.Parallel()
	run(t, reports)
}
