package kubefleet_test

import (
	"maps"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// These are the ways in which an agent treats a field that leaves the manifest (KubeFleet, pkg/controllers/workapplier: createManifestObject,
// serverSideApply, buildThreeWayMergePatch).
const (
	ownedByUpdate = "an agent creates an object with a POST and never turns that into ownership by apply: its server-side apply does not remove what the " +
		"object was created with"
	notRecorded = "an agent records what it applies only under client-side apply: its first merge after a server-side apply removes nothing"
	writtenTwo  = "the envelope is written before the placement: its new content can be applied in the old way, and a danger of the plan says so"
)

// withLeaving adds the cases in which a field leaves the manifest, for each apply type.
func withLeaving(deviations enginetest.Deviations) enginetest.Deviations {
	deviations["what others have added stays on the way from the server's to the client's side"] = fieldStays(ownedByUpdate, nil)
	deviations["a field of a Secret leaves the manifest, client-side apply"] = fieldStays(
		"an agent merges stringData with the stringData that it applied last, and the API server keeps neither: the key stays in data", secretB)
	for way, why := range map[string]string{
		"server-side apply":                     ownedByUpdate,
		"server-side apply with force":          ownedByUpdate,
		"from server-side to client-side apply": notRecorded,
		"from client-side to server-side apply": writtenTwo,
	} {
		for kind, after := range map[string]func(*enginetest.Case){
			"ConfigMap":             enginetest.Has("v1 ConfigMap it", "x", "data", "b"),
			"Deployment":            nil,
			"Deployment's replicas": enginetest.Has("apps/v1 Deployment it", int64(3), "spec", "replicas"),
			"Namespace":             enginetest.Has("v1 Namespace $ns-x", "hack", "metadata", "labels", "use"),
			"Secret":                secretB,
			"Service":               nil,
			"Service's only port":   nil,
		} {
			deviation := fieldStays(why, after)
			switch {
			case why == writtenTwo:
				deviation = enginetest.Deviation{Why: why, Impossible: true}
			case kind == "Service's only port":
				deviation = portsStay(why)
			case way == "server-side apply" && strings.HasPrefix(kind, "Deployment"):
				deviation = enginetest.Deviation{
					Why:      "the agent owns by update what it has created, and conflicts with itself once the Deployment's controller has written to the object",
					ReadOnly: takeover.ActionUpdate, Want: conflictsWithItself(".metadata.annotations.kubernetes-fleet.io/spec-hash"), After: after,
				}
			}
			deviations["a field of a "+kind+" leaves the manifest, "+way] = deviation
		}
	}
	maps.Copy(deviations, enginetest.Deviations{
		"applied on the server's side before, now on the client's": {Why: writtenTwo, Impossible: true},
		"R3 ours, and a key has left the manifest":                 {Why: writtenTwo, Impossible: true},
	})
	return deviations
}

// secretB expects a Secret to keep its key.
var secretB = enginetest.Has("v1 Secret it", "eA==", "data", "b")

// fieldStays expects an update that does not remove the field.
func fieldStays(why string, after func(*enginetest.Case)) enginetest.Deviation {
	return enginetest.Deviation{Why: why, Want: &enginetest.Want{Action: takeover.ActionUpdate, Fields: []string{}}, After: after}
}

// portsStay expects the API server to reject an update that keeps the old port in addition to the new one: if a Service has several ports, each needs a name.
func portsStay(why string) enginetest.Deviation {
	return enginetest.Deviation{
		Why: why, ReadOnly: takeover.ActionUpdate, Want: &enginetest.Want{
			Reason: takeover.ReasonManifestApplyFailed, Message: "spec.ports[0].name: Required value", Fields: []string{"spec.ports[port=81]"},
		},
	}
}
