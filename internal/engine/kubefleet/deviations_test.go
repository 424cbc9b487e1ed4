package kubefleet_test

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// deviations are the cases that cannot be set up on a hub, and those whose result differs with this engine.
var deviations = withLeaving(enginetest.Deviations{
	"D3-PUT Always, the write that takes over is refused": {
		Why:  "a preview tries what is applied, and not the write before it that puts the agent's reference into the object",
		Want: &enginetest.Want{Action: takeover.ActionTakeOver}, Becomes: takeover.ReasonFailedToTakeOver,
	},
	"D7 the dry run is refused as invalid, no difference": {
		Why:     "the policy refuses the agent's reference, too: the takeover fails, and not the apply after it",
		Becomes: takeover.ReasonFailedToTakeOver, After: enginetest.Unmarked,
	},
	"D1 in a namespace that is not there": {
		Why: "a hub places an envelope with its Namespace, so that none is missing", Impossible: true,
	},
	"D23 server-side apply against other managers": {
		Why:  "the provider predicts an API server's conflict message in its own words",
		Want: &enginetest.Want{Reason: takeover.ReasonManifestApplyFailed, Message: `other managers own fields of it: "kubectl" owns .data.a)`},
	},
	"R4 Never, the dry run is refused as invalid": {
		Why: "a preview shows the differences of an object that was compared in degraded mode, and so does the fake, whose real counterpart hides all " +
			"of a cluster's as soon as there is one such object",
		Want: &enginetest.Want{
			Action: takeover.ActionReport, Reason: "FoundDiffInDegradedMode", Message: "Diff has been found in degraded mode",
			Diffs: []placement.PatchDetail{{Path: "/data/a", ValueInMember: "2", ValueInHub: "1"}},
		},
		After: func(*enginetest.Case) {},
	},
	"R3 ours, differences": {
		Why:        "the changed object and the type ReportDiff are two writes on a hub, and the hub applies the object before it observes the type",
		Impossible: true,
	},
	"24 another placement's": {
		Why:        "a second placement of what an envelope brings would bring the Namespace of the first, and its envelope; D13 to D16 have its objects",
		Impossible: true,
	},
	"example: an envelope": inEnvelopes("example: an envelope", hubKinds+" ClusterResourceEnvelope envelope-configmap"),
	"example: an envelope with an object that members reject": inEnvelopes("example: an envelope with an object that members reject"),
	"Secret quoted by a policy that forbids it": {
		Why: "the policy also rejects the write of the agent's reference, see D7", Becomes: takeover.ReasonFailedToTakeOver, After: enginetest.Unmarked,
	},
	"28 Job, other completions, ReportDiff": {
		Why: "as in R4, the differences are shown",
		Want: &enginetest.Want{
			Action: takeover.ActionReport, Reason: "FoundDiffInDegradedMode", Message: "Diff has been found in degraded mode", Paths: enginetest.JobPaths(),
		},
		After: func(*enginetest.Case) {},
	},
	"33 Secret with stringData, full comparison": comparesStringData(takeover.ActionLeaveAlone),
	"IfNoDiff, full comparison with stringData":  comparesStringData(takeover.ActionLeaveAlone),
	"full comparison after the apply":            comparesStringData(takeover.ActionNone),
	"35 a kind with its definition": {
		Why:  "the agent tries the object again until the member serves its kind, and the placement is complete only then",
		Want: &enginetest.Want{Action: takeover.ActionCreate},
	},
	"37 generateName only":     {Why: notInEnvelopes, Fails: "objects with only generateName are not supported"},
	"38 the same object twice": {Why: notInEnvelopes, Fails: "ConfigMap $ns/it is listed twice in ResourceEnvelope"},
	"40 Deployment, ours, server-side apply": {
		Why:  "conflicts are predicted in the words of this provider, see D23",
		Want: conflictsWithItself(`.metadata.annotations.kubernetes-fleet.io/spec-hash, .spec.template.spec.containers[name="app"].image`),
	},
	"a field beside another manager's under server-side apply": {
		Why:  "the agent owns by update what it has created, and conflicts with itself once another manager has written to the object",
		Want: conflictsWithItself(`.data.a, .metadata.annotations.kubernetes-fleet.io/spec-hash`),
	},
	"41 server-side apply against kubectl": {
		Why:  "conflicts are predicted in the words of this provider, see D23",
		Want: &enginetest.Want{Reason: takeover.ReasonManifestApplyFailed, Message: `other managers own fields of it: "kubectl" owns .data.a)`},
	},
	"47 removed from the placement while drifted": {
		Why: "until the agent applies the object again it does not notice the drift, and removes the object; TestRemovedWhileDrifted has one that it has " +
			"noticed",
		Want: &enginetest.Want{Action: takeover.ActionPrune}, After: enginetest.Removed("v1 ConfigMap gone"),
	},
	"48 placement deleted": {
		Why: "the Namespace of an envelope is deleted with the placement, with all objects in it, whatever other owners they have",
		After: func(c *enginetest.Case) {
			if _, err := (enginetest.Request{Name: c.Name, Again: true}).Delete(c.Context(), c.Past()); err != nil {
				c.Error(err)
			}
			enginetest.Removed("v1 ConfigMap gone")(c)
			enginetest.Removed("v1 ConfigMap it")(c)
		},
	},
	"an unknown field in a namespace that comes with it": dropped(takeover.ActionCreate, "apps/v1 Deployment $ns-x/it"),
	"an unknown field is added":                          dropped(takeover.ActionUpdate, "apps/v1 Deployment it"),
	"an unknown field is created":                        dropped(takeover.ActionCreate, "apps/v1 Deployment it"),
	"an unknown field would be taken over":               dropped(takeover.ActionTakeOver, "apps/v1 Deployment it"),
	"an unknown field is created under server-side apply": {
		Why:  "the agent asks for no validation: it creates the object without the field, and its next server-side apply is rejected because of the field",
		Want: &enginetest.Want{Action: takeover.ActionCreate}, Becomes: takeover.ReasonManifestApplyFailed,
	},
})

const notInEnvelopes = "the provider rejects an envelope with this manifest before anything is written"

// comparesStringData expects a full comparison of a Secret with stringData.
func comparesStringData(action takeover.Action) enginetest.Deviation {
	const redacted = "(redacted for security reasons)"
	details := []placement.PatchDetail{
		{Path: "/data", ValueInMember: redacted}, {Path: "/stringData", ValueInHub: redacted}, {Path: "/type", ValueInMember: "Opaque"},
	}
	out := enginetest.Deviation{Why: "KubeFleet compares stringData with the object on the member, where API servers keep it in data"}
	if action == takeover.ActionNone {
		out.Want = &enginetest.Want{Action: action, Drifts: details}
		return out
	}
	out.Want = &enginetest.Want{
		Action: action, Reason: takeover.ReasonFailedToTakeOver, Message: "configuration differences are found", Diffs: details,
	}
	return out
}

// dropped expects an object without a field that API servers drop, because the agent does not request field validation (KubeFleet,
// pkg/controllers/workapplier: createManifestObject, threeWayMergePatch).
func dropped(action takeover.Action, object string) enginetest.Deviation {
	return enginetest.Deviation{
		Why: "the agent asks for no validation of fields: API servers drop those that they do not know", Altered: true,
		Want: &enginetest.Want{Action: action}, After: enginetest.Has(object, nil, "spec", "replica"),
	}
}

// conflictsWithItself expects a server-side apply to be rejected because of fields that the agent itself owns by update.
func conflictsWithItself(fields string) *enginetest.Want {
	return &enginetest.Want{
		Reason: takeover.ReasonManifestApplyFailed, Message: `other managers own fields of it: "work-api-agent" owns ` + fields,
	}
}

// inEnvelopes expects the result of an example whose envelope is a ConfigMap, but with a ResourceEnvelope instead and with additional selected objects.
func inEnvelopes(name string, selected ...string) enginetest.Deviation {
	ends := enginetest.EndsOf(name)
	for _, object := range ends.Selected {
		selected = append(selected, strings.Replace(object, "v1 ConfigMap $ns-app/envelope-", hubKinds+" ResourceEnvelope $ns-app/envelope-", 1))
	}
	ends.Selected = selected
	for member, cluster := range ends.Clusters {
		var failed []string
		for _, text := range cluster.Failed {
			failed = append(failed, strings.Replace(text, "in ConfigMap", "in ResourceEnvelope", 1))
		}
		cluster.Failed = failed
		ends.Clusters[member] = cluster
	}
	return enginetest.Deviation{
		Why: "hubs of this API open no ConfigMaps: the provider keeps an envelope in a ResourceEnvelope, and what is cluster-scoped in a " +
			"ClusterResourceEnvelope", Ends: &ends,
	}
}
