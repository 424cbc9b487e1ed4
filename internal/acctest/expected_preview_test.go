package acctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// The apply of a saved plan does only what the reviewed plan shows: it does not take over an object that was created since.
func TestExpectedPreview(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	w := fleet.Open(t, binary, "", "")
	fleet.DestroyAtEnd(t, w)
	const arguments = `
  name      = "expected"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: expected, labels: {team: ours}}}" }
`
	harness.Rewrite(t, w, configureApplying()+`
data "fleet_placement_preview" "expected" {`+arguments+`}
resource "fleet_crp" "expected" {`+arguments+`
  expected_preview = data.fleet_placement_preview.expected.digest
}
`)
	contains(t, must(t, w, "plan", "-out=agreed"), "3 to create")
	fleet.Put(t, "member-2", "{apiVersion: v1, kind: Namespace, metadata: {name: expected, labels: {team: theirs}}}")

	out := must(t, w, "apply", "agreed")
	contains(t, out, "1 skipped, changed since the plan", "member-2", "FailedToTakeOver", "the plan did not show the takeover")
	fleet.Check(t, "member-1", "v1", "Namespace", "", "expected", "ours", "metadata", "labels", "team")
	fleet.Check(t, "member-2", "v1", "Namespace", "", "expected", "theirs", "metadata", "labels", "team")
	fleet.Check(t, "member-2", "v1", "Namespace", "", "expected", nil, "metadata", "labels", "applyset.kubernetes.io/part-of")

	// The next plan shows the object, and the next apply is bound to that plan.
	out = must(t, w, "plan", "-out=agreed")
	contains(t, out, "Namespace expected on member-2", "Taken over (when_to_take_over", `metadata.labels.team: "theirs" -> "ours"`)
	checkWarnings(t, must(t, w, "apply", "agreed"), 0) // the plan has shown everything already
	fleet.Check(t, "member-2", "v1", "Namespace", "", "expected", "ours", "metadata", "labels", "team")
	contains(t, must(t, w, "plan"), "No changes.")
	if strings.Contains(must(t, w, "state", "show", "fleet_crp.expected"), "v3.") {
		t.Error("the placement's state contains the digest")
	}
}

// A reviewed preview also limits deletions: an object whose deletion the preview has not shown stays until a plan shows it.
func TestExpectedDeletions(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", "")
	fleet.DestroyAtEnd(t, w)
	const arguments = `
  name      = "shrinking"
  manifests = { "all.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: shrinking-a, namespace: default}}%s" }
`
	const more = `\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: shrinking-b, namespace: default}}`
	both, one := fmt.Sprintf(arguments, more), fmt.Sprintf(arguments, "")
	configuration := func(previewed, wanted, digest string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + "data \"fleet_placement_preview\" \"p\" {" + previewed + "}\nresource \"fleet_crp\" \"p\" {" + wanted +
			"  expected_preview = " + digest + "\n}\n"
	}
	const digest = "data.fleet_placement_preview.p.digest"
	harness.Rewrite(t, w, configuration(both, both, digest))
	must(t, w, "apply", "-auto-approve")

	// The reviewed preview has other manifests than the placement.
	harness.Rewrite(t, w, configuration(both, one, digest))
	contains(t, must(t, w, "apply", "-auto-approve"), "3 to delete with the next apply", "no plan has shown", "ConfigMap default/shrinking-b stays on the cluster", "the next apply deletes it")
	fleet.Check(t, "member-1", "v1", "ConfigMap", "default", "shrinking-b", "shrinking-b", "metadata", "name")

	harness.Rewrite(t, w, configuration(one, one, digest))
	contains(t, must(t, w, "plan", "-out=agreed"), "3 to delete")
	must(t, w, "apply", "agreed")
	fleet.Absent(t, "member-1", "v1", "ConfigMap", "default", "shrinking-b")

	harness.Rewrite(t, w, configuration(one, one, `"v1.H4sIAAAAAAAA_6quBQQAAP__Q7-mowIAAAA"`))
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Error("a digest of an older version was accepted")
	}
	contains(t, out, "digest of an older version", "create the preview again")
	harness.Rewrite(t, w, configuration(one, one, digest))
}
