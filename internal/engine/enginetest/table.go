package enginetest

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// decisions are the rows of the decision table, except those with admission policies.
var decisions = []scenario{
	{
		name: "D1 absent", placed: placedA1, want: Want{Action: creates}, after: Has(it, "1", "data", "a"),
	},
	{
		name: "D2 Always, no difference", before: []step{put("kubectl", placedA1)}, placed: placedA1, how: takeOver(always),
		want:  Want{Action: takesOver, Fields: []string{}},
		after: HasOwners(1),
	},
	{
		name: "D3 Always, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: takeOver(always),
		want:  Want{Action: takesOver, Fields: []string{"data.a"}},
		after: Has(it, "1", "data", "a"),
	},
	{
		name:   "D3-422 Always, the apply after the takeover is not accepted",
		before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"2\"}, immutable: true}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"1\"}, immutable: true}",
		want:   refused("ManifestApplyFailed", "field is immutable when `immutable` is set"),
		after:  Marked,
	},
	{
		name: "D4 IfNoDiff, no difference", before: []step{put("kubectl", placedA1)}, placed: placedA1, how: takeOver(ifNoDiff),
		want: Want{Action: takesOver, Fields: []string{}},
	},
	{
		name: "D5 IfNoDiff, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: takeOver(ifNoDiff),
		want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")", Diffs: a2, Fields: []string{"data.a"},
		},
		after: Unmarked,
	},
	{
		name:   "D6 IfNoDiff, the dry run is refused as invalid",
		before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, labels: {extra: theirs}}, data: {a: \"2\"}, immutable: true}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"1\"}, immutable: true}", how: takeOver(ifNoDiff),
		want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + degraded + ")",
			Diffs: []placement.PatchDetail{patch("/data/a", "2", "1"), patch("/metadata/labels/extra", "theirs", "")},
		},
	},
	{
		name: "D9 Never", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: takeOver(never),
		want: Want{Reason: "NotTakenOver", Message: needsTakeover, Fields: []string{"data.a"}}, after: Unmarked,
	},
	{
		name: "D10 Always, another owner", before: []step{put("kubectl", theOwner+"\n---\n"+theirsA2), ownedBy(it, owner)}, placed: placedA1,
		want: refused("FailedToTakeOver", CoOwnership), after: Unmarked,
	},
	{
		name: "D10 IfNoDiff, another owner", before: []step{put("kubectl", theOwner+"\n---\n"+placedA1), ownedBy(it, owner)}, placed: placedA1,
		how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", CoOwnership),
	},
	{
		name: "D11 Always, another owner is allowed", before: []step{put("kubectl", theOwner+"\n---\n"+theirsA2), ownedBy(it, owner)}, placed: placedA1,
		how: coOwning(always), want: Want{Action: takesOver, Fields: []string{"data.a"}}, after: keepsOwner,
	},
	{
		name: "D12 IfNoDiff, another owner is allowed, no difference", before: []step{put("kubectl", theOwner+"\n---\n"+placedA1), ownedBy(it, owner)},
		placed: placedA1, how: coOwning(ifNoDiff), want: Want{Action: takesOver, Fields: []string{}}, after: keepsOwner,
	},
	{
		name: "D12 IfNoDiff, another owner is allowed, differences", before: []step{put("kubectl", theOwner+"\n---\n"+theirsA2), ownedBy(it, owner)},
		placed: placedA1, how: coOwning(ifNoDiff),
		want: Want{Reason: "FailedToTakeOver", Message: differencesFound + ")", Diffs: a2},
	},
	{
		name: "D13 KubeFleet's own", before: []step{put("memberagent", theWork+"\n---\n"+theirsA2), ownedBy(it, someWork), ownerAlive}, placed: placedA1,
		want: refused("FailedToTakeOver", CoOwnership), after: Unmarked,
	},
	{
		name: "D14 KubeFleet's own, co-ownership allowed", before: []step{put("memberagent", theWork+"\n---\n"+placedA1), ownedBy(it, someWork), ownerAlive},
		placed: placedA1, how: coOwning(ifNoDiff),
		want: refused("FailedToTakeOver", TakeoverFailed+"the object is already owned by another Fleet AppliedWork object)"), after: Unmarked,
	},
	{
		name: "D15 KubeFleet's, left behind", before: []step{put("memberagent", theWork+"\n---\n"+placedA1), ownedBy(it, someWork)},
		placed: placedA1, how: coOwning(always),
		want:  Want{Action: takesOver, Fields: []string{}},
		after: losesOwner(someWork),
	},
	{
		name: "D16 KubeFleet's, left behind, Never", before: []step{put("memberagent", theWork+"\n---\n"+placedA1), ownedBy(it, someWork)},
		placed: placedA1, how: takeOver(never), want: refused("NotTakenOver", needsTakeover),
	},
	{
		name: "D17 Never, other owners", before: []step{put("kubectl", theOwner+"\n---\n"+theWork+"\n---\n"+theirsA2), ownedBy(it, owner, someWork)},
		placed: placedA1, how: coOwning(never), want: refused("NotTakenOver", needsTakeover),
	},
	{
		name: "D18 ours", earlier: placedA1, placed: placedA2, how: takeOver(ifNoDiff), want: Want{Action: updates, Fields: []string{"data.a"}},
		after: Has(it, "2", "data", "a"),
	},
	{
		name: "D18 ours, Never by now", earlier: placedA1, earlierHow: new(takeOver(always)), placed: placedA2, how: takeOver(never),
		since: []step{edit("kubectl-edit", it, "{data: {b: theirs}}")},
		want:  Want{Action: updates, Fields: []string{"data.a"}}, after: Has(it, "theirs", "data", "b"),
	},
	{
		name: "D18 taken over, Never by now", before: []step{put("kubectl", theirsA2)}, earlier: placedA1, earlierHow: new(takeOver(always)),
		placed: placedA2, how: takeOver(never), want: Want{Action: updates, Fields: []string{"data.a"}},
	},
	{
		name: "D18 ours and unchanged", earlier: placedA1, placed: placedA1, want: Want{Action: keeps, Fields: []string{}},
	},
	{
		name: "D19 ours, and another owner", earlier: placedA1, since: []step{put("kubectl", theOwner), ownedBy(it, owner)}, placed: placedA2,
		want: refused("ManifestApplyFailed", ownersInvalid+"object is co-owned by multiple objects but co-ownership has been disallowed)"),
	},
	{
		name: "D20 ours, and another owner is allowed", earlier: placedA1, since: []step{put("kubectl", theOwner), ownedBy(it, owner)}, placed: placedA2,
		how: coOwning(always), want: Want{Action: updates, Fields: []string{"data.a"}}, after: keepsOwner,
	},
	{
		name: "D21 ours, and KubeFleet's", earlier: placedA1, since: []step{put("memberagent", theWork), ownedBy(it, someWork), ownerAlive}, placed: placedA2,
		how: coOwning(always), want: refused("ManifestApplyFailed", ownersInvalid+"object is already owned by another AppliedWork object)"),
	},
	{
		name: "D22 being deleted",
		before: []step{
			put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, finalizers: [example.com/hold]}, data: {a: \"1\"}}"), removeIt,
		},
		placed: placedA1,
		want:   Want{Action: takesOver},
		after:  Free,
	},
	{
		name: "D22 being deleted, Never",
		before: []step{
			put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, finalizers: [example.com/hold]}, data: {a: \"2\"}}"), removeIt,
		},
		placed: placedA1, how: takeOver(never), want: refused("NotTakenOver", needsTakeover),
		after: Free,
	},
	{
		name: "D22 being deleted, IfNoDiff, differences",
		before: []step{
			put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, finalizers: [example.com/hold]}, data: {a: \"2\"}}"), removeIt,
		},
		placed: placedA1, how: takeOver(ifNoDiff),
		want:  Want{Reason: "FailedToTakeOver", Message: differencesFound + ")", Diffs: a2},
		after: Free,
	},
	{
		name: "D22 ours, being deleted", earlier: placedA1,
		since:  []step{edit("kubectl", it, "{metadata: {finalizers: [example.com/hold]}}"), removeIt},
		placed: placedA2,
		want:   Want{Action: updates},
		after:  Free,
	},
	{
		name: "D23 server-side apply against other managers", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: serverSide(false),
		want: refused("ManifestApplyFailed", `conflict with "kubectl"`), after: Marked,
	},
}
