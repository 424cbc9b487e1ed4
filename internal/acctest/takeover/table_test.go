package takeover

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Texts that several cases share.
const (
	placedA1 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"1\"}}"
	placedA2 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"2\"}}"
	theirsA2 = placedA2
	theOwner = "{apiVersion: v1, kind: ConfigMap, metadata: {name: owner}}"
	theWork  = "{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, metadata: {name: $ns-work}}"

	it       = "v1 ConfigMap it"
	owner    = "v1 ConfigMap owner"
	someWork = "placement.kubernetes-fleet.io/v1beta1 AppliedWork $ns-work"

	differencesFound = "Failed to apply the manifest (error: cannot take over object: configuration differences are found between the manifest " +
		"object and the corresponding object in the member cluster"
	degraded = " in degraded mode (full comparison is performed instead of partial comparison, as the manifest object is considered to be " +
		"invalid by the member cluster API server)"
	takeoverFailed = "Failed to apply the manifest (error: failed to take over a pre-existing object: "
	coOwnership    = takeoverFailed + "the object is already owned by some other sources(s) and co-ownership is disallowed (existingOwnerRefs: ["
	needsTakeover  = "Failed to apply the manifest (error: no ownership of the object in the member cluster; takeover is needed)"
	ownersInvalid  = "Failed to apply the manifest (error: failed to apply the manifest: failed to validate owner references: "
	driftsFound    = "Failed to apply the manifest (error: cannot apply manifest: drifts are found between the manifest and the object from the member cluster"
	redacted       = "(redacted for security reasons)"
)

// a2 is how theirsA2 differs from placedA1 in KubeFleet's form.
var a2 = []placement.PatchDetail{patch("/data/a", "2", "1")}

func patch(path, inMember, inHub string) placement.PatchDetail {
	return placement.PatchDetail{Path: path, ValueInMember: inMember, ValueInHub: inHub}
}

func takeOver(when placement.WhenToTakeOver) placement.ApplyStrategy {
	return placement.ApplyStrategy{WhenToTakeOver: when}
}

func fully(when placement.WhenToTakeOver) placement.ApplyStrategy {
	return placement.ApplyStrategy{WhenToTakeOver: when, ComparisonOption: full}
}

func coOwning(when placement.WhenToTakeOver) placement.ApplyStrategy {
	return placement.ApplyStrategy{WhenToTakeOver: when, AllowCoOwnership: new(true)}
}

func serverSide(when placement.WhenToTakeOver, force bool) placement.ApplyStrategy {
	return placement.ApplyStrategy{
		Type: placement.ServerSideApply, WhenToTakeOver: when, ServerSideApplyConfig: &placement.ServerSideApplyConfig{Force: new(force)},
	}
}

// asPlaced wants a ConfigMap to be as it was placed, and what others put there to be there still.
func has(object string, value any, path ...string) func(*world) {
	return func(w *world) {
		w.Helper()
		if got := w.value(object, path...); got != value {
			w.Errorf("%s: %v is %v, want %v", object, path, got, value)
		}
	}
}

func refused(reason, message string) want {
	return want{action: engine.ActionRefuse, reason: reason, message: message}
}

// decisions are the rows of the decision table that need no admission rule; those are with the admission rules.
var decisions = []scenario{
	{
		name: "D1 absent", placed: placedA1, want: want{action: engine.ActionCreate}, after: has(it, "1", "data", "a"),
	},
	{
		name: "D2 Always, no difference", before: []step{put("kubectl", placedA1)}, placed: placedA1, how: takeOver(always),
		want: want{action: engine.ActionTakeOver, fields: []string{}},
		differs: "an object is marked as taken over by the ApplySet's label and not by an owner reference: nothing runs on the member that could " +
			"be its owner",
		after: func(w *world) {
			if len(w.must(it).GetOwnerReferences()) > 0 {
				w.Error("it has an owner")
			}
		},
	},
	{
		name: "D3 Always, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: takeOver(always),
		want:  want{action: engine.ActionTakeOver, fields: []string{"data.a"}},
		after: has(it, "1", "data", "a"),
	},
	{
		name:     "D3-422 Always, the apply after the takeover is not accepted",
		before:   []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"2\"}, immutable: true}")},
		placed:   "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"1\"}, immutable: true}",
		want:     refused("ManifestApplyFailed", "field is immutable when `immutable` is set"),
		readOnly: engine.ActionTakeOver,
		differs: "a takeover that fails leaves nothing behind: mark and content are one write, where KubeFleet has written its owner reference " +
			"before and keeps the object",
		after: unmarked,
	},
	{
		name: "D4 IfNoDiff, no difference", before: []step{put("kubectl", placedA1)}, placed: placedA1, how: takeOver(ifNoDiff),
		want: want{action: engine.ActionTakeOver, fields: []string{}},
	},
	{
		name: "D5 IfNoDiff, differences", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: takeOver(ifNoDiff),
		want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")", diffs: a2, fields: []string{"data.a"},
		},
		after: unmarked,
	},
	{
		name:   "D6 IfNoDiff, the dry run is refused as invalid",
		before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, labels: {extra: theirs}}, data: {a: \"2\"}, immutable: true}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"1\"}, immutable: true}", how: takeOver(ifNoDiff),
		want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + degraded + ")",
			diffs: []placement.PatchDetail{patch("/data/a", "2", "1"), patch("/metadata/labels/extra", "theirs", "")},
		},
	},
	{
		name: "D9 Never", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: takeOver(never),
		want: want{action: engine.ActionRefuse, reason: "NotTakenOver", message: needsTakeover, fields: []string{"data.a"}}, after: unmarked,
	},
	{
		name: "D10 Always, another owner", before: []step{put("kubectl", theOwner+"\n---\n"+theirsA2), ownedBy(it, owner)}, placed: placedA1,
		want: refused("FailedToTakeOver", coOwnership+"v1 ConfigMap owner])"), after: unmarked,
		differs: "other owners are told by kind and name, where KubeFleet prints Go structures with addresses that change from loop to loop",
	},
	{
		name: "D10 IfNoDiff, another owner", before: []step{put("kubectl", theOwner+"\n---\n"+placedA1), ownedBy(it, owner)}, placed: placedA1,
		how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", coOwnership+"v1 ConfigMap owner])"),
	},
	{
		name: "D11 Always, another owner is allowed", before: []step{put("kubectl", theOwner+"\n---\n"+theirsA2), ownedBy(it, owner)}, placed: placedA1,
		how: coOwning(always), want: want{action: engine.ActionTakeOver, fields: []string{"data.a"}}, after: hasOwners(1),
	},
	{
		name: "D12 IfNoDiff, another owner is allowed, no difference", before: []step{put("kubectl", theOwner+"\n---\n"+placedA1), ownedBy(it, owner)},
		placed: placedA1, how: coOwning(ifNoDiff), want: want{action: engine.ActionTakeOver, fields: []string{}}, after: hasOwners(1),
	},
	{
		name: "D12 IfNoDiff, another owner is allowed, differences", before: []step{put("kubectl", theOwner+"\n---\n"+theirsA2), ownedBy(it, owner)},
		placed: placedA1, how: coOwning(ifNoDiff),
		want: want{action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")", diffs: a2},
	},
	{
		name: "D13 KubeFleet's own", before: []step{put("memberagent", theWork+"\n---\n"+theirsA2), ownedBy(it, someWork)}, placed: placedA1,
		want: refused("FailedToTakeOver", coOwnership+"placement.kubernetes-fleet.io/v1beta1 AppliedWork $ns-work])"), after: unmarked,
	},
	{
		name: "D14 KubeFleet's own, co-ownership allowed", before: []step{put("memberagent", theWork+"\n---\n"+placedA1), ownedBy(it, someWork)},
		placed: placedA1, how: coOwning(ifNoDiff),
		want: refused("FailedToTakeOver", takeoverFailed+"the object is already owned by another Fleet AppliedWork object)"), after: unmarked,
	},
	{
		name: "D15 KubeFleet's, left behind", before: []step{put("memberagent", theWork+"\n---\n"+placedA1), ownedBy(it, someWork)},
		placed: placedA1, how: coOwning(always),
		want: refused("FailedToTakeOver", takeoverFailed+"the object is already owned by another Fleet AppliedWork object)"),
		differs: "an AppliedWork owner always keeps its object: whether its Work is gone can only be seen on a hub of KubeFleet, which the direct " +
			"engine does not have",
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
		name: "D18 ours", earlier: placedA1, placed: placedA2, how: takeOver(ifNoDiff), want: want{action: engine.ActionUpdate, fields: []string{"data.a"}},
		after: has(it, "2", "data", "a"),
	},
	{
		name: "D18 ours, Never by now", earlier: placedA1, earlierHow: new(takeOver(always)), placed: placedA2, how: takeOver(never),
		since: []step{edit("kubectl-edit", it, "{data: {b: theirs}}")},
		want:  want{action: engine.ActionUpdate, fields: []string{"data.a"}}, after: has(it, "theirs", "data", "b"),
	},
	{
		name: "D18 taken over, Never by now", before: []step{put("kubectl", theirsA2)}, earlier: placedA1, earlierHow: new(takeOver(always)),
		placed: placedA2, how: takeOver(never), want: want{action: engine.ActionUpdate, fields: []string{"data.a"}},
	},
	{
		name: "D18 ours and unchanged", earlier: placedA1, placed: placedA1, want: want{action: engine.ActionNone, fields: []string{}},
	},
	{
		name: "D19 ours, and another owner", earlier: placedA1, since: []step{put("kubectl", theOwner), ownedBy(it, owner)}, placed: placedA2,
		want: refused("ManifestApplyFailed", ownersInvalid+"object is co-owned by multiple objects but co-ownership has been disallowed)"),
	},
	{
		name: "D20 ours, and another owner is allowed", earlier: placedA1, since: []step{put("kubectl", theOwner), ownedBy(it, owner)}, placed: placedA2,
		how: coOwning(always), want: want{action: engine.ActionUpdate, fields: []string{"data.a"}}, after: hasOwners(1),
	},
	{
		name: "D21 ours, and KubeFleet's", earlier: placedA1, since: []step{put("memberagent", theWork), ownedBy(it, someWork)}, placed: placedA2,
		how: coOwning(always), want: refused("ManifestApplyFailed", ownersInvalid+"object is already owned by another AppliedWork object)"),
	},
	{
		name: "D22 being deleted",
		before: []step{
			put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, finalizers: [example.com/hold]}, data: {a: \"1\"}}"), remove(it),
		},
		placed: placedA1,
		want:   refused("ManifestApplyFailed", "Failed to apply the manifest (error: the object on the cluster is being deleted since "),
		differs: "an object that is being deleted is not written to: what is written would be lost, and KubeFleet reports it as applied and " +
			"available until it is gone",
		after: func(w *world) { edit("kubectl", it, "{metadata: {finalizers: null}}")(w) },
	},
	{
		name: "D22 being deleted, Never",
		before: []step{
			put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, finalizers: [example.com/hold]}, data: {a: \"2\"}}"), remove(it),
		},
		placed: placedA1, how: takeOver(never), want: refused("NotTakenOver", needsTakeover),
		after: func(w *world) { edit("kubectl", it, "{metadata: {finalizers: null}}")(w) },
	},
	{
		name: "D22 being deleted, IfNoDiff, differences",
		before: []step{
			put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, finalizers: [example.com/hold]}, data: {a: \"2\"}}"), remove(it),
		},
		placed: placedA1, how: takeOver(ifNoDiff),
		want:  want{action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")", diffs: a2},
		after: func(w *world) { edit("kubectl", it, "{metadata: {finalizers: null}}")(w) },
	},
	{
		name: "D22 ours, being deleted", earlier: placedA1,
		since:   []step{edit("kubectl", it, "{metadata: {finalizers: [example.com/hold]}}"), remove(it)},
		placed:  placedA2,
		want:    refused("ManifestApplyFailed", "and waits for the finalizers example.com/hold; once it is gone, the next apply places it anew)"),
		differs: "as before; the reason is the one that is tried again",
		after:   func(w *world) { edit("kubectl", it, "{metadata: {finalizers: null}}")(w) },
	},
	{
		name: "D23 server-side apply against other managers", before: []step{put("kubectl", theirsA2)}, placed: placedA1, how: serverSide(always, false),
		want:     refused("ManifestApplyFailed", `other managers own fields of it: "kubectl" owns .data.a)`),
		readOnly: engine.ActionTakeOver, after: unmarked,
		differs: "a takeover that fails leaves nothing behind, see D3-422",
	},
}

// unmarked wants the object not to be the placement's.
func unmarked(w *world) {
	w.Helper()
	if mark := w.must(it).GetLabels()[partOf]; mark != "" {
		w.Errorf("it is marked as part of %s", mark)
	}
}

func hasOwners(n int) func(*world) {
	return func(w *world) {
		w.Helper()
		if got := len(w.must(it).GetOwnerReferences()); got != n {
			w.Errorf("it has %d owners, want %d", got, n)
		}
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	run(t, decisions)
}
