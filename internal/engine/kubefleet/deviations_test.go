package kubefleet_test

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// deviations are where a hub cannot be brought into the position of a case, or the provider writes something else to a hub than the case does.
var deviations = enginetest.Deviations{
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
		Why:  "what an API server says of a conflict is foreseen in the words of this provider",
		Want: &enginetest.Want{Reason: takeover.ReasonManifestApplyFailed, Message: `other managers own fields of it: "kubectl" owns .data.a)`},
	},
	"R4 Never, the dry run is refused as invalid": {
		Why: "a preview shows the differences of an object that was compared in degraded mode, and so does the stand-in, whose real counterpart hides all " +
			"of a cluster's as soon as there is one such object",
		Want: &enginetest.Want{
			Action: takeover.ActionReport, Reason: "FoundDiffInDegradedMode", Message: "Diff has been found in degraded mode",
			Diffs: []placement.PatchDetail{{Path: "/data/a", ValueInMember: "2", ValueInHub: "1"}},
		},
		After: func(*enginetest.Case) {},
	},
	"R3 ours, differences": {
		Why:        "a hub has what is placed before it hears that it is only to be reported on: the two are no one write",
		Impossible: true,
	},
	"24 another placement's": {
		Why:        "a second placement of what an envelope brings would bring the Namespace of the first, and its envelope; D13 to D16 have its objects",
		Impossible: true,
	},
	"example: an envelope": inEnvelopes("example: an envelope", hubKinds+" ClusterResourceEnvelope envelope-configmap"),
	"example: an envelope with an object that members refuse": inEnvelopes("example: an envelope with an object that members refuse"),
}

// inEnvelopes ends as an example does whose envelope is a ConfigMap, with a ResourceEnvelope in its place and more that is selected.
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
