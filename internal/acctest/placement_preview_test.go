package acctest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// previewed is what the placement selects; replicas and password differ between the hub and member-2.
const previewed = `
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

// previewedArguments are the arguments of the placement and of its preview.
const previewedArguments = `
  name               = "previewed"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "previewed" }]
  policy             = { placement_type = "PickAll" }
  strategy           = { apply_strategy = { when_to_take_over = "%s" } }
  ` + afterMembers

const previewOutputs = `
check "no_conflict" {
  assert {
    condition     = length(data.fleet_placement_preview.p.conflicts) == 0
    error_message = join(", ", [for o in data.fleet_placement_preview.p.conflicts : "${o.cluster}/${o.kind}/${o.name}=${o.action}"])
  }
}
output "preview_report" { value = data.fleet_placement_preview.p.report }
output "look" { value = [for name, c in data.fleet_placement_preview.p.clusters : "${name} is picked: ${c.picked}, look: ${c.look}, error: ${c.error}"] }
output "counts" { value = [for action, n in data.fleet_placement_preview.p.counts : "${action}=${n}"] }
output "fields" {
  value = [for o in data.fleet_placement_preview.p.conflicts : [
    for d in o.differences : "${o.name} ${d.field}: ${d.in_member} by ${d.manager} / ${d.in_hub}"
  ]]
}
`

func preview(mode string) string {
	return fmt.Sprintf("data \"fleet_placement_preview\" \"p\" {"+previewedArguments+"}\n", mode) + previewOutputs
}

func placement(mode, more string) string {
	return fmt.Sprintf("resource \"fleet_crp\" \"p\" {"+previewedArguments+more+"}\n", mode)
}

// output reads an output as it is.
func output(t *testing.T, w *workspace.Workspace, name string) string {
	t.Helper()
	text, err := w.Run(t.Context(), nil, "output", "-no-color", "-raw", name)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text
}

// A preview as data: before there is a placement, as one changes, and without a Secret's value anywhere.
func TestPlacementPreview(t *testing.T) {
	binary := newest(t)
	put(t, "hub", fmt.Sprintf(previewed, 3, "planted-on-the-hub"))
	put(t, "member-2", fmt.Sprintf(previewed, 2, "planted-on-the-member"))
	base := provider(env.Kubeconfig) + members
	w := newWorkspace(t, binary, "", base+preview("IfNoDiff"))
	destroyAtEnd(t, w)

	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, "Check block assertion failed",
		"member-2/Namespace/previewed=take_over, member-2/Secret/credentials=leave_alone, member-2/Deployment/web=leave_alone",
		"web spec.replicas: 2 by ", "/ 3", "create=6", "take_over=1", "leave_alone=2", "member-1 is picked: true, look: dry_run, error:")
	report := output(t, w, "preview_report")
	contains(t, report, "### Placement `previewed` (3 clusters): 2 conflicts on `member-2` left alone, 1 existing object on `member-2` to take over, 6 to create",
		"| `Deployment previewed/web` | `member-2` |", "**left alone**: `FailedToTakeOver`", "| `spec.replicas` | `2` |", "(redacted for security reasons)",
		"| `Namespace previewed` | `member-2` |")
	withoutSecrets(t, w, out, report)
	absent(t, "member-1", "v1", "Namespace", "", "previewed")
	contains(t, must(t, w, "plan"), "No changes.", "Check block assertion failed")

	// The same arguments as a placement, which is held to what the preview found.
	rewrite(t, w, base+preview("Always")+placement("Always", "expected_preview = data.fleet_placement_preview.p.digest\n"))
	out = must(t, w, "apply", "-auto-approve")
	check(t, "member-2", "apps/v1", "Deployment", "previewed", "web", 3, "spec", "replicas")
	withoutSecrets(t, w, out)

	// Now it is the placement's own: there is nothing to create and no conflict.
	out = must(t, w, "apply", "-auto-approve")
	contains(t, out, "none=9", "create=0", "take_over=0")
	if strings.Contains(out, "Check block assertion failed") {
		t.Errorf("there is no conflict any more:\n%s", out)
	}
	contains(t, output(t, w, "preview_report"), "no object to write")
}

// withoutSecrets fails the test if a planted value is in what was printed or in the state, as it is or in base64.
func withoutSecrets(t *testing.T, w *workspace.Workspace, texts ...string) {
	t.Helper()
	state, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(texts, string(state)) {
		for _, secret := range []string{"planted-on", "cGxhbnRlZC1vbi"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in:\n%s", secret, text)
			}
		}
	}
}

// A member that does not answer is data, unless a preview is required; that previews are off elsewhere does not matter.
func TestPlacementPreviewOffline(t *testing.T) {
	binary := newest(t)
	put(t, "hub", fmt.Sprintf(previewed, 3, "planted-on-the-hub"))
	configuration := func(mode string) string {
		return strings.Replace(provider(env.Kubeconfig), "  members = {\n", "  preview = \""+mode+"\"\n  members = {\n"+
			"    member-9 = { host = \"https://127.0.0.1:1\", token = \"t\" }\n", 1) + members + preview("Never")
	}
	w := newWorkspace(t, binary, "", configuration("off"))
	destroyAtEnd(t, w)
	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, "member-9 is picked: false, look: offline, error: ", "127.0.0.1:1", "create=9", "not_checked=1",
		`It is not known whether a placement "previewed" exists already`)
	contains(t, output(t, w, "preview_report"), "1 cluster NOT CHECKED", "**not checked**")

	rewrite(t, w, configuration("required"))
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Errorf("the plan did not fail:\n%s", out)
	}
	contains(t, out, `Cluster "member-9" could not be previewed`)
	rewrite(t, w, configuration("off"))
}

// A plan that is not applied has the report among its outputs, the first one and one that adds a member: it is of the fleet as the plan makes
// it.
func TestPlacementPreviewOfPlannedMembers(t *testing.T) {
	for _, binary := range everyCLI(t) {
		t.Run(binary.String(), func(t *testing.T) { previewPlannedMembers(t, binary) })
	}
}

func previewPlannedMembers(t *testing.T, binary cli.Binary) {
	t.Helper()
	putExample(t, "placement-preview")
	w := newWorkspace(t, binary, "examples/placement-preview", "")
	destroyAtEnd(t, w)
	file := filepath.Join(w.Dir, "main.tf")
	all, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reported := func() string {
		t.Helper()
		must(t, w, "plan", "-out=tfplan")
		text, err := w.Run(t.Context(), nil, "show", "-no-color", "-json", "tfplan")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var plan struct {
			PlannedValues struct {
				Outputs map[string]struct{ Value any }
			} `json:"planned_values"`
		}
		if err := json.Unmarshal([]byte(text), &plan); err != nil {
			t.Fatal(err)
		}
		report, _ := plan.PlannedValues.Outputs["preview_report"].Value.(string)
		return report
	}
	const conflict = "1 conflict on `member-2` left alone, 2 existing objects on `member-2` to take over, 6 to create"
	if err := os.WriteFile(file, []byte(strings.Replace(string(all), `for_each = toset(local.members)`, `for_each = toset(["member-1"])`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, reported(), "### Placement `web-3-crp` (1 cluster): 3 to create", "create 3, once it has joined the fleet", "no fleet_member_cluster registers it")
	must(t, w, "apply", "tfplan")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, reported(), conflict, "| `member-3` | yes | `picked by scheduling policy` | create 3, once it has joined the fleet |")
	must(t, w, "apply", "tfplan")
	contains(t, reported(), conflict, "| `member-1`, `member-3` | yes | `picked by scheduling policy` | create 3 |")
}
