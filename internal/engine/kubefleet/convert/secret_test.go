package convert

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// TestSecretsAreNotHandedOn checks that a decoded status contains no value of a Secret, regardless of the agent that wrote it.
func TestSecretsAreNotHandedOn(t *testing.T) {
	t.Parallel()
	const (
		secret     = "{version: v1, kind: Secret, name: s, namespace: web"
		takingOver = "Failed to apply the manifest (error: failed to take over a pre-existing object: "
	)
	got := PlacementStatus(parse[v1beta1.PlacementStatus](t, `
placementStatuses:
  - clusterName: member-1
    failedPlacements:
      - `+secret+`, condition: {type: Applied, status: "False", reason: ManifestApplyFailed, message: 'data[a]: Invalid value: "hunter2"'}}
      - `+secret+`, condition: {type: Applied, status: "False", reason: NotTakenOver, message: it is not to be taken over}}
      - `+secret+`, condition: {type: Applied, status: "False", reason: FailedToTakeOver, message: '`+takingOver+`failed to take over the object: error returned by the API server: hunter2'}}
      - `+secret+`, condition: {type: Applied, status: "False", reason: FailedToTakeOver, message: '`+takingOver+`failed to calculate configuration diffs between: hunter2'}}
      - `+secret+`, condition: {type: Applied, status: "False", reason: FailedToTakeOver, message: '`+takingOver+`the object is already owned by some other sources(s)'}}
    driftedPlacements:
      - `+secret+`, observedDrifts: [{path: /data/a, valueInHub: hunter2, valueInMember: hunter2}, {path: /metadata/labels/a, valueInMember: shown}]}
    diffedPlacements:
      - `+secret+`, observedDiffs: [{path: /stringData/a, valueInHub: hunter2}]}
`), nil)
	all, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	text := string(all)
	if strings.Contains(text, "hunter2") {
		t.Errorf("the value is reported: %s", text)
	}
	for _, part := range []string{"ManifestApplyFailed", "withheld", "it is not to be taken over", "the object is already owned", "redacted", "/data/a", "shown"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing: %s", part, text)
		}
	}
}
