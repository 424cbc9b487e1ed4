package enginetest

// reportTable has the rows of the decision table for strategy type ReportDiff, except those with admission policies.
var reportTable = []scenario{
	{
		name: "R1 absent", placed: placedA1, how: reporting(never), want: reported("FoundDiff", foundDiff, patch("/", "", "(the whole object)")),
		after: func(c *Case) {
			if c.find(it) != nil {
				c.Error("it was created")
			}
		},
	},
	{
		name: "R2 Never, no difference", before: []step{put("kubectl", placedA1)}, placed: placedA1, how: reporting(never),
		want: reported("NoDiffFound", noDiff), after: Unmarked,
	},
	{
		name: "R2 ours, no difference", earlier: placedA1, earlierHow: new(takeOver(always)), placed: placedA1, how: reporting(always),
		want: reported("NoDiffFound", noDiff),
	},
	{
		name: "R3 Never, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: reporting(never),
		want: reported("FoundDiff", foundDiff, a2...), after: Unmarked,
	},
	{
		name: "R3 ours, differences", earlier: placedA2, earlierHow: new(takeOver(always)), placed: placedA1, how: reporting(ifNoDiff),
		want: reported("FoundDiff", foundDiff, a2...), after: Has(it, "2", "data", "a"),
	},
	{
		name:   "R4 Never, the dry run is refused as invalid",
		before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"2\"}, immutable: true}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"1\"}, immutable: true}\n---\n" +
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: absent}}",
		how: reporting(never), want: reported("FoundDiffInDegradedMode", "Diff has been found in degraded mode"),
		after: reportsNone,
	},
	{
		name: "R5 Always, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: reporting(always),
		want: reported("FoundDiff", foundDiff, a2...), after: Marked,
	},
	{
		name: "R6 IfNoDiff, no difference", before: []step{put("kubectl", placedA1)}, placed: placedA1, how: reporting(ifNoDiff),
		want: reported("NoDiffFound", noDiff), after: Marked,
	},
	{
		name: "R7 IfNoDiff, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: reporting(ifNoDiff),
		want: Want{
			Action: reports, Reason: "FailedToReportDiff", Fields: []string{"data.a"},
			Message: blocked + "FailedToTakeOver, error: cannot take over object: configuration differences are found ",
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
