package acctest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// writePreviewed returns the objects that a placement selects. Replicas and password differ between the hub and member-2.
func writePreviewed(name string, replicas int, password string) string {
	return fmt.Sprintf(strings.ReplaceAll(previewedObjects, "previewed", name), replicas, password)
}

const previewedObjects = `
apiVersion: v1
kind: Namespace
metadata: {name: previewed}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: previewed}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.29"}]}
---
apiVersion: v1
kind: Secret
metadata: {name: credentials, namespace: previewed}
stringData: {password: %s}
`

// previewedArguments are the common arguments of the placement and its preview.
const previewedArguments = `
  name               = "previewed"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "previewed" }]
  policy             = { placement_type = "PickAll" }
  strategy           = { apply_strategy = { when_to_take_over = "%s" } }
  `

const previewOutputs = `
check "no_conflict" {
  assert {
    condition     = length(data.fleet_placement_preview.p.conflicts) == 0
    error_message = join(", ", [for o in data.fleet_placement_preview.p.conflicts : "${o.cluster}/${o.kind}/${o.name}=${o.action}"])
  }
}
output "preview_report" { value = data.fleet_placement_preview.p.report }
output "checks" { value = [for name, c in data.fleet_placement_preview.p.clusters : "${name} is picked: ${c.picked}, check: ${c.check_method}, error: ${c.error}"] }
output "counts" { value = [for action, n in data.fleet_placement_preview.p.counts : "${action}=${n}"] }
output "fields" {
  value = [for o in data.fleet_placement_preview.p.conflicts : [
    for d in o.differences : "${o.name} ${d.field}: ${d.in_member} by ${d.manager} / ${d.in_hub}"
  ]]
}
`

func preview(name, mode string) string {
	return "data \"fleet_placement_preview\" \"p\" {" + writeArguments(name, mode) + "}\n" + previewOutputs
}

func placement(name, mode, more string) string {
	return "resource \"fleet_crp\" \"p\" {" + writeArguments(name, mode) + more + "}\n"
}

func writeArguments(name, mode string) string {
	return fmt.Sprintf(strings.ReplaceAll(previewedArguments, "previewed", name), mode)
}

// A preview as data: before the placement exists, after it changes, and without a Secret's value anywhere.
func TestPlacementPreview(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	fleet.Put(t, "hub", writePreviewed("previewed", 3, "planted-on-the-hub"))
	fleet.Put(t, "member-2", writePreviewed("previewed", 2, "planted-on-the-member"))
	base := fleet.Provider(fleet.Env.Kubeconfig)
	w := fleet.Open(t, binary, "", base+preview("previewed", "IfNoDiff"))
	fleet.DestroyAtEnd(t, w)

	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, "Check block assertion failed",
		"member-2/Namespace/previewed=take_over, member-2/Secret/credentials=leave_alone, member-2/Deployment/web=leave_alone",
		"web spec.replicas: 2 by ", "/ 3", "create=6", "take_over=1", "leave_alone=2", "member-1 is picked: true, check: dry_run, error:")
	report := harness.Output(t, w, "preview_report")
	contains(t, report, "### Placement `previewed` (3 clusters): 2 conflicts on `member-2` not taken over, 1 existing object on `member-2` to take over, 6 to create",
		"| `Deployment previewed/web` | `member-2` |", "**not taken over**: `FailedToTakeOver`", "| `spec.replicas` | `2` |", "(redacted for security reasons)",
		"| `Namespace previewed` | `member-2` |")
	checkNoSecrets(t, w, out, report)
	fleet.Absent(t, "member-1", "v1", "Namespace", "", "previewed")
	contains(t, must(t, w, "plan"), "No changes.", "Check block assertion failed")

	// A placement with the same arguments is bound to the preview's digest.
	harness.Rewrite(t, w, base+preview("previewed", "Always")+placement("previewed", "Always", "expected_preview = data.fleet_placement_preview.p.digest\n"))
	out = must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-2", "apps/v1", "Deployment", "previewed", "web", 3, "spec", "replicas")
	checkNoSecrets(t, w, out)

	// The placement now owns the objects: it creates none, and there is no conflict.
	out = must(t, w, "apply", "-auto-approve")
	contains(t, out, "none=9", "create=0", "take_over=0")
	if strings.Contains(out, "Check block assertion failed") {
		t.Errorf("the check still reports a conflict:\n%s", out)
	}
	contains(t, harness.Output(t, w, "preview_report"), "no object to write")
}

// checkNoSecrets checks that neither the texts nor the state contain a planted value, in plain text or in base64.
func checkNoSecrets(t *testing.T, w *workspace.Workspace, texts ...string) {
	t.Helper()
	state, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(texts, string(state)) {
		for _, secret := range []string{"planted-on", "cGxhbnRlZC1vbi"} {
			if strings.Contains(text, secret) {
				t.Errorf("found %q in:\n%s", secret, text)
			}
		}
	}
}

// With preview = "Off", the data source still previews, and its attributes report an unreachable member. With preview = "Required", that member is an error.
func TestPlacementPreviewOffline(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	binary := fleet.Newest(t)
	fleet.Put(t, "hub", writePreviewed("unseen", 3, "planted-on-the-hub"))
	configuration := func(mode string) string {
		return strings.Replace(fleet.Provider(fleet.Env.Kubeconfig), "  members = {\n", "  preview = \""+mode+"\"\n  members = {\n"+
			"    member-9 = { host = \"https://127.0.0.1:1\", token = \"t\" }\n", 1) + preview("unseen", "Never")
	}
	w := fleet.Open(t, binary, "", configuration("Off"))
	fleet.DestroyAtEnd(t, w)
	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, "member-9 is picked: false, check: offline, error: ", "127.0.0.1:1", "create=9", "not_checked=1",
		`Unknown whether the placement "unseen" already exists`)
	contains(t, harness.Output(t, w, "preview_report"), "1 cluster NOT CHECKED", "**not checked**")

	harness.Rewrite(t, w, configuration("Required"))
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Errorf("the plan succeeded:\n%s", out)
	}
	contains(t, out, `Cluster "member-9" could not be previewed`)
	harness.Rewrite(t, w, configuration("Off"))
}
