package acctest

import (
	"strings"
	"testing"
)

// What a reviewer agreed to in a saved plan is what the apply does: an object that has appeared since is not taken over.
func TestExpectedPreview(t *testing.T) {
	binary := newest(t)
	w := newWorkspace(t, binary, "", provider(env.Kubeconfig)+members)
	must(t, w, "apply", "-auto-approve")
	destroyAtEnd(t, w)
	const arguments = `
  name      = "expected"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: expected, labels: {team: ours}}}" }
`
	rewrite(t, w, provider(env.Kubeconfig)+members+`
data "fleet_placement_preview" "expected" {`+arguments+`}
resource "fleet_crp" "expected" {`+arguments+`
  expected_preview = data.fleet_placement_preview.expected.digest
  `+afterMembers+`
}
`)
	contains(t, must(t, w, "plan", "-out=agreed"), `Placement "expected" (3 clusters): 3 to create`)
	put(t, "member-2", "{apiVersion: v1, kind: Namespace, metadata: {name: expected, labels: {team: theirs}}}")

	out := must(t, w, "apply", "agreed")
	contains(t, out, "1 not taken over", "member-2", "FailedToTakeOver", "the object has appeared on the cluster since the preview was made")
	check(t, "member-1", "v1", "Namespace", "", "expected", "ours", "metadata", "labels", "team")
	check(t, "member-2", "v1", "Namespace", "", "expected", "theirs", "metadata", "labels", "team")
	check(t, "member-2", "v1", "Namespace", "", "expected", nil, "metadata", "labels", "applyset.kubernetes.io/part-of")

	// The next plan shows the object, and so does the preview that the next apply is held to.
	out = must(t, w, "plan", "-out=agreed")
	contains(t, out, "Namespace expected on member-2", "will be taken over", `metadata.labels.team: "theirs" on the cluster`)
	must(t, w, "apply", "agreed")
	check(t, "member-2", "v1", "Namespace", "", "expected", "ours", "metadata", "labels", "team")
	contains(t, must(t, w, "plan"), "No changes.")
	if strings.Contains(must(t, w, "state", "show", "fleet_crp.expected"), "v1.") {
		t.Error("the digest is in the state of the placement")
	}
}
