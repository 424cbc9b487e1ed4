package direct_test

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// deviations are what the direct engine does otherwise than KubeFleet:
//
//	D1, 36  The API server's answers are told in the words of this provider.
//	D2      An object is marked as taken over by the ApplySet's label and not by an owner reference: nothing runs on the member that could
//	        be its owner.
//	D3-422, A takeover that fails leaves nothing behind: mark and content are one write. KubeFleet has written its owner reference before
//	D7, D23, and keeps the object, so that removing the placement deletes it.
//	41
//	D3-PUT  Taking over and applying are one write, so that the reason of a refusal is ManifestApplyFailed and not FailedToTakeOver.
//	D10,    Other owners are told by kind and name. KubeFleet prints Go structures, with addresses that change from loop to loop.
//	D13, 22
//	D15     An AppliedWork owner always keeps its object. Whether its Work is gone could only be seen on KubeFleet's hub.
//	D22     An object that is being deleted, and that the strategy would write to, is refused and tried again by the next apply: what is
//	        written to it would be lost. KubeFleet reports it as applied and available until it is gone.
//	R4, 28  The differences reach the placement's status. KubeFleet shows none of a cluster's as soon as one object was compared in degraded
//	        mode.
//	R5, R6, Reporting takes ownership of nothing, whatever whenToTakeOver says: removing the placement would delete what was only to be
//	30      reported.
//	19      The plan tells every element that a list lacks with its own index and value. The status has KubeFleet's words.
//	24      Another placement of the direct engine keeps its object as another one of KubeFleet does, and is told by name.
//	35      Objects of a kind that comes with the placement wait until the kind is served. KubeFleet needs a second loop.
//	37, 38  A manifest without a name, and the same object twice, are errors of the placement before anything is looked at, rather than the
//	        reasons FoundGenerateName and Duplicated of one object.
//	39      An object with too little room for the last applied configuration is written on the client's side all the same. KubeFleet turns
//	        to server-side apply.
//	40      What was created owns its fields in the way of server-side apply before it is applied again, so that it does not conflict with
//	        itself.
//	47      What the placement has made is removed at once. KubeFleet leaves an object that it has not applied to its garbage collection.
//
// Besides, a partial comparison makes its dry run only where the local comparison finds something or is in doubt, or an admission rule has a
// say, and a post-apply drift of an object that is yet to be created is not foreseen, since the API server allocates addresses and the like
// anew. Who may only read has no dry run, and foresees no more than the local comparison finds, what the managedFields say of conflicts and
// which fields of the built-in kinds nobody may change. Unknown fields are refused, as kubectl does, where KubeFleet's agent drops them.
//
// KubeFleet puts words of its own around answers of the API server, and tells a kind that is not served in those of its client. Annotations
// of a Secret are redacted like its data, which KubeFleet prints. What a manifest says of its UID, resource version and owners is dropped,
// where KubeFleet's agent has the API server refuse it; a label or annotation that is null is an error of the manifest.
var deviations = enginetest.Deviations{
	"D1 in a namespace that is not there": {
		Why: "the API server's answers are told in the words of this provider", Want: refused("ManifestApplyFailed", `namespaces "$ns-absent" does not exist (404)`),
	},
	"D2 Always, no difference": {
		Why: "an object is marked as taken over by the ApplySet's label and not by an owner reference: nothing runs on the member that could be its owner",
		After: func(c *enginetest.Case) {
			enginetest.Marked(c)
			enginetest.HasOwners(0)(c)
		},
	},
	"D3-422 Always, the apply after the takeover is not accepted": {
		Why: "a takeover that fails leaves nothing behind: mark and content are one write, where KubeFleet has written its owner reference before " +
			"and keeps the object",
		After: enginetest.Unmarked,
	},
	"D7 the dry run is refused as invalid, no difference": {Why: "a takeover that fails leaves nothing behind, see D3-422", After: enginetest.Unmarked},
	"D23 server-side apply against other managers": {
		Why: "a takeover that fails leaves nothing behind, see D3-422", After: enginetest.Unmarked,
		Want: refused("ManifestApplyFailed", `other managers own fields of it: "kubectl" owns .data.a)`),
	},
	"41 server-side apply against kubectl": {
		Why: "a takeover that fails leaves nothing behind, see D3-422", After: enginetest.Unmarked,
		Want: refused("ManifestApplyFailed", `other managers own fields of it: "kubectl" owns .data.a)`),
	},
	"D3-PUT Always, the write that takes over is refused": {
		Why:  "taking over and applying are one write, so that the reason is that of a failed apply and not FailedToTakeOver",
		Want: refused("ManifestApplyFailed", "marks must stay"),
	},
	"D10 Always, another owner":     otherOwners("v1 ConfigMap owner"),
	"D10 IfNoDiff, another owner":   otherOwners("v1 ConfigMap owner"),
	"D13 KubeFleet's own":           otherOwners("placement.kubernetes-fleet.io/v1beta1 AppliedWork $ns-theirs"),
	"22 owned by a custom resource": otherOwners("$group/v1 Widget it"),
	"D15 KubeFleet's, left behind": {
		Why: "an AppliedWork owner always keeps its object: whether its Work is gone can only be seen on a hub of KubeFleet, which the direct engine " +
			"does not have",
		Want:  refused("FailedToTakeOver", enginetest.TakeoverFailed+"the object is already owned by another Fleet AppliedWork object)"),
		After: enginetest.Unmarked,
	},
	"D22 being deleted": {
		Why: "an object that is being deleted is not written to: what is written would be lost, and KubeFleet reports it as applied and available " +
			"until it is gone",
		Want: refused("ManifestApplyFailed", "Failed to apply the manifest (error: the object on the cluster is being deleted since "),
	},
	"D22 ours, being deleted": {
		Why:  "as before; the reason is the one that is tried again",
		Want: refused("ManifestApplyFailed", "and waits for the finalizers example.com/hold; once it is gone, the next apply places it anew)"),
	},
	"R4 Never, the dry run is refused as invalid": {
		Why: "one object that is compared in degraded mode does not hide the differences of the cluster's other objects",
		Want: &enginetest.Want{
			Action: takeover.ActionReport, Reason: "FoundDiffInDegradedMode", Message: "Diff has been found in degraded mode",
			Diffs: []placement.PatchDetail{{Path: "/data/a", ValueInMember: "2", ValueInHub: "1"}},
		},
		After: func(c *enginetest.Case) {
			if len(c.Status.DiffedPlacements) != 2 {
				c.Errorf("reported: %+v", c.Status.DiffedPlacements)
			}
		},
	},
	"R5 Always, differences":            {Why: unowned, After: enginetest.Unmarked},
	"R6 IfNoDiff, no difference":        {Why: unowned, After: enginetest.Unmarked},
	"30 Deployment, ReportDiff, Always": {Why: unowned, After: enginetest.Unmarked},
	"19 a shorter list in a custom resource": {
		Why: "to people, every element is told with its own index and value; the status has KubeFleet's words",
		Want: &enginetest.Want{
			Reason: "FailedToTakeOver", Message: "configuration differences are found",
			Diffs:  []placement.PatchDetail{{Path: "/spec/letters/2", ValueInHub: "c"}, {Path: "/spec/letters/2", ValueInHub: "c"}},
			Fields: []string{"spec.letters[2]", "spec.letters[3]"},
		},
	},
	"24 another placement's": {
		Why:  "another placement of the direct engine keeps its object as KubeFleet's placements do, and is told by name",
		Want: refused("FailedToTakeOver", enginetest.TakeoverFailed+"the object is already owned by another placement \"$ns-other\")"),
	},
	"28 Job, other completions, ReportDiff": {
		Why: "the differences reach the placement's status: KubeFleet shows none of a cluster's as soon as one object was compared in degraded mode",
		Want: &enginetest.Want{
			Action: takeover.ActionReport, Reason: "FoundDiffInDegradedMode", Message: "Diff has been found in degraded mode", Paths: enginetest.JobPaths(),
		},
		After: func(c *enginetest.Case) {
			if len(c.Status.DiffedPlacements) != 1 {
				c.Errorf("reported: %+v", c.Status.DiffedPlacements)
			}
		},
	},
	"35 a kind with its definition": {
		Why:  "objects of a kind that comes with the placement wait for the kind to be served, where KubeFleet needs a second loop",
		Want: &enginetest.Want{Action: takeover.ActionCreate},
	},
	"36 a namespace that is denied, and what is in it": {
		Why: "the API server's answers are told in the words of this provider", Want: refused("ManifestApplyFailed", `namespaces "$ns-denied" does not exist (404)`),
	},
	"37 generateName only": {
		Why:   "a manifest that no cluster could place is an error of the placement, found before anything is looked at",
		Fails: "objects with only generateName are not supported",
	},
	"38 the same object twice": {Why: "as before, instead of the reason Duplicated for the second", Fails: "ConfigMap $ns/it"},
	"39 no room for the last applied configuration": {
		Why:   "the object is written on the client's side all the same, where KubeFleet turns to server-side apply",
		After: enginetest.Has("v1 ConfigMap it", "", "metadata", "annotations", "fleet.terraform.io/last-applied-configuration"),
	},
	"40 Deployment, ours, server-side apply": {
		Why:  "an object that was created owns its fields in the way of server-side apply before it is applied again, so that it does not conflict with itself",
		Want: &enginetest.Want{Action: takeover.ActionUpdate, Fields: []string{"spec.template.spec.containers[name=app].image"}},
	},
	"47 removed from the placement while drifted": {
		Why:  "what the placement has made is removed at once, where KubeFleet leaves an object that it has not applied to its garbage collection",
		Want: &enginetest.Want{Action: takeover.ActionPrune}, After: enginetest.Gone("v1 ConfigMap gone"),
	},
}

const unowned = "reporting takes ownership of nothing, whatever whenToTakeOver says: removing the placement would delete what was only to be reported"

func refused(reason, message string) *enginetest.Want {
	return &enginetest.Want{Reason: reason, Message: message}
}

func otherOwners(owners string) enginetest.Deviation {
	return enginetest.Deviation{
		Why:  "other owners are told by kind and name, where KubeFleet prints Go structures with addresses that change from loop to loop",
		Want: refused("FailedToTakeOver", enginetest.CoOwnership+owners+"])"),
	}
}
