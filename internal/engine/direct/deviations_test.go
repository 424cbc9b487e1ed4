package direct_test

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// deviations lists the differences between the direct engine and KubeFleet:
//
//	D1, 36  The provider words the responses of the API server itself.
//	D2      The ApplySet's label marks an object as taken over, not an owner reference: nothing runs on the member that could be its owner.
//	D3-422, A failed takeover leaves nothing behind, because mark and content are one write. KubeFleet writes its owner reference first and
//	D7, D23, keeps the object, so that removing the placement deletes it.
//	41
//	D3-PUT  Takeover and apply are one write, so that the reason of a rejection is ManifestApplyFailed, not FailedToTakeOver.
//	D10,    Other owners are reported by kind and name. KubeFleet prints Go structures with addresses that differ in each loop.
//	D13, 22
//	D15     An AppliedWork owner always keeps its object. Only KubeFleet's hub shows whether its Work is deleted.
//	D22     A terminating object that the strategy would write to fails, and the next apply retries it, because the written content would be
//	        lost. KubeFleet reports it as applied and available until it is deleted.
//	R4, 28  The differences appear in the placement's status. KubeFleet shows none for a cluster if one object was compared in degraded mode.
//	R5, R6, ReportDiff takes over nothing, regardless of whenToTakeOver: otherwise, removing the placement would delete objects that were only
//	30      reported.
//	19      The plan shows each element that a list lacks with its own index and value. The status has KubeFleet's wording.
//	24      Another placement of the direct engine keeps its object, as another placement of KubeFleet does, and is reported by name.
//	35      Objects of a kind that the placement brings wait until the kind is served. KubeFleet needs a second loop.
//	37, 38  A manifest without a name and a duplicate object are errors of the placement before any cluster is read, instead of the reasons
//	        FoundGenerateName and Duplicated of one object.
//	39      An object with too little space for the last applied configuration is still written with client-side apply. KubeFleet switches to
//	        server-side apply.
//	40      Before a server-side apply of an object that the placement created, the placement owns the fields as in server-side apply, so that it
//	        does not conflict with itself.
//	47      Objects that the placement created are deleted immediately. KubeFleet leaves an object that it has not applied to its garbage
//	        collection.
//
// In addition, a partial comparison makes a dry run only if the local comparison finds a difference or is uncertain, or if an admission rule applies. The
// drift of an object after its creation is not predicted, because the API server allocates values such as addresses. A read-only account has no dry runs, so
// it predicts only the differences of the local comparison, conflicts according to managedFields, and immutable fields of built-in kinds. Unknown fields are
// rejected, as by kubectl; KubeFleet's agent drops them.
//
// KubeFleet wraps responses of the API server in its own wording, and reports a kind that is not served in the wording of its client. The provider redacts
// the annotations of a Secret like its data; KubeFleet prints them. The provider drops UID, resource version and owners from a manifest; with KubeFleet's
// agent, the API server rejects them. A null label or annotation is an error of the manifest.
var deviations = enginetest.Deviations{
	"D1 in a namespace that is not there": {
		Why: "the provider words the API server's responses itself", Want: refused("ManifestApplyFailed", `namespaces "$ns-absent" does not exist (404)`),
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
		Want: refused("ManifestApplyFailed", "Failed to apply the manifest (error: the object on the cluster has been terminating since "),
	},
	"D22 ours, being deleted": {
		Why:  "as before; the apply retries the object for this reason",
		Want: refused("ManifestApplyFailed", "and waits for the finalizers example.com/hold; the next apply after its deletion creates it again)"),
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
		Why: "messages name every element by its own index and value; the status has KubeFleet's text",
		Want: &enginetest.Want{
			Reason: "FailedToTakeOver", Message: "configuration differences are found",
			Diffs:  []placement.PatchDetail{{Path: "/spec/letters/2", ValueInHub: "c"}, {Path: "/spec/letters/2", ValueInHub: "c"}},
			Fields: []string{"spec.letters[2]", "spec.letters[3]"},
		},
	},
	"24 another placement's": {
		Why:  "another placement of the direct engine keeps its object as KubeFleet's placements do, and is reported by name",
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
		Why: "the provider words the API server's responses itself", Want: refused("ManifestApplyFailed", `namespaces "$ns-denied" does not exist (404)`),
	},
	"37 generateName only": {
		Why:   "a manifest that no cluster could place is an error of the placement, found before any cluster is read",
		Fails: "objects with only generateName are not supported",
	},
	"38 the same object twice": {Why: "as before, instead of the reason Duplicated for the second", Fails: "ConfigMap $ns/it"},
	"39 no room for the last applied configuration": {
		Why:   "the object is still written with client-side apply, where KubeFleet switches to server-side apply",
		After: enginetest.Has("v1 ConfigMap it", "", "metadata", "annotations", "fleet.terraform.io/last-applied-configuration"),
	},
	"40 Deployment, ours, server-side apply": {
		Why:  "before a server-side apply, the placement's fields of an object that it created become fields of server-side apply, so that it does not conflict with itself",
		Want: &enginetest.Want{Action: takeover.ActionUpdate, Fields: []string{"spec.template.spec.containers[name=app].image"}},
	},
	"47 removed from the placement while drifted": {
		Why:  "objects that the placement created are removed immediately, where KubeFleet leaves an object that it has not applied to its garbage collection",
		Want: &enginetest.Want{Action: takeover.ActionPrune}, After: enginetest.Removed("v1 ConfigMap gone"),
	},
}

const unowned = "reporting takes over nothing, regardless of whenToTakeOver: otherwise, removing the placement would delete objects that were only reported"

func refused(reason, message string) *enginetest.Want {
	return &enginetest.Want{Reason: reason, Message: message}
}

func otherOwners(owners string) enginetest.Deviation {
	return enginetest.Deviation{
		Why:  "other owners are reported by kind and name, where KubeFleet prints Go structures with addresses that change from loop to loop",
		Want: refused("FailedToTakeOver", enginetest.CoOwnership+owners+"])"),
	}
}
