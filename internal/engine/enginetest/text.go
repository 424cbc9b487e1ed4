package enginetest

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// Beginnings of KubeFleet's messages that engines may end differently.
const (
	// TakeoverFailed begins the message about an object that cannot be taken over.
	TakeoverFailed = "Failed to apply the manifest (error: failed to take over a pre-existing object: "
	// CoOwnership is followed by the object's owners.
	CoOwnership = TakeoverFailed + "the object is already owned by some other sources(s) and co-ownership is disallowed (existingOwnerRefs: ["
)

// Manifests that several cases share.
const (
	placedA1 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"1\"}}"
	placedA2 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: \"2\"}}"
	theirsA2 = placedA2
	theOwner = "{apiVersion: v1, kind: ConfigMap, metadata: {name: owner}}"
	theWork  = "{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, metadata: {name: $ns-theirs}, " +
		"spec: {workName: $ns-theirs, workNamespace: fleet-member-other}}"

	it       = "v1 ConfigMap it"
	owner    = "v1 ConfigMap owner"
	someWork = "placement.kubernetes-fleet.io/v1beta1 AppliedWork $ns-theirs"

	differencesFound = "Failed to apply the manifest (error: cannot take over object: configuration differences are found between the manifest " +
		"object and the corresponding object in the member cluster"
	degraded = " in degraded mode (full comparison is performed instead of partial comparison, as the manifest object is considered to be " +
		"invalid by the member cluster API server)"
	notServed     = "Failed to apply the manifest (error: failed to decode manifest: failed to find GVR from member cluster client REST mapping: "
	needsTakeover = "Failed to apply the manifest (error: no ownership of the object in the member cluster; takeover is needed)"
	ownersInvalid = "Failed to apply the manifest (error: failed to apply the manifest: failed to validate owner references: "
	driftsFound   = "Failed to apply the manifest (error: cannot apply manifest: drifts are found between the manifest and the object from the member cluster"
	redacted      = "(redacted for security reasons)"
)

// Short names of the takeover modes and other strategy values.
const (
	always   = placement.TakeOverAlways
	ifNoDiff = placement.TakeOverIfNoDiff
	never    = placement.TakeOverNever
	full     = placement.FullComparison
)

// a2 is the difference between theirsA2 and placedA1 in KubeFleet's form.
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

func serverSide(force bool) placement.ApplyStrategy {
	return placement.ApplyStrategy{
		Type: placement.ServerSideApply, WhenToTakeOver: always, ServerSideApplyConfig: &placement.ServerSideApplyConfig{Force: new(force)},
	}
}

// refused returns the result for an object that is not applied, with the reason.
func refused(reason, message string) Want {
	return Want{Reason: reason, Message: message}
}

const (
	foundDiff = "Diff has been found between the hub cluster and the member cluster"
	noDiff    = "No diff has been found between the hub cluster and the member cluster"
	blocked   = "An error blocks the diff reporting process ("
)

func reporting(when placement.WhenToTakeOver) placement.ApplyStrategy {
	return placement.ApplyStrategy{Type: placement.ReportDiff, WhenToTakeOver: when}
}

func reported(reason, message string, diffs ...placement.PatchDetail) Want {
	return Want{Action: reports, Reason: reason, Message: message, Diffs: diffs}
}
