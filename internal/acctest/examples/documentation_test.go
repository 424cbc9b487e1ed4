package examples

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// README and guides show Terraform's output: whole warnings and reports, without the frame and the position in the configuration. After a change of wording,
// run make documented-outputs.
func TestDocumentation(t *testing.T) {
	clusters.Need(t, fleet.Env)
	outputs := map[string]string{}
	t.Run("readme", func(t *testing.T) { showReadme(t, outputs) })
	t.Run("getting-started", func(t *testing.T) { showGettingStarted(t, outputs) })
	t.Run("migrate", func(t *testing.T) { showMigration(t, outputs) })
	t.Run("takeover", func(t *testing.T) { showTakeover(t, outputs) })
	t.Run("federate", func(t *testing.T) { showFederate(t, outputs) })
	t.Run("placement-preview", func(t *testing.T) { showPreview(t, outputs) })
	t.Run("what-if", func(t *testing.T) { showWhatIf(t, outputs) })
	t.Run("split", func(t *testing.T) { showSplit(t, outputs) })
	t.Run("policy", func(t *testing.T) { showPolicy(t, outputs) })
	t.Run("handover", func(t *testing.T) { showHandover(t, outputs) })
	if t.Failed() {
		return
	}
	documents.Show(t, outputs, func(name string) bool { return !documents.OnHub(name) }, *harness.Update)
}

// showReadme plans and applies the configuration of the README unchanged, on clusters like those of the demo.
func showReadme(t *testing.T, outputs map[string]string) {
	fleet.PutExample(t, "takeover")
	text := documents.Read(t, filepath.Join(documents.Root(t), "README.md"))
	_, text, _ = strings.Cut(text, "```hcl\n")
	text, _, found := strings.Cut(text, "\n```\n")
	if !found {
		t.Fatal("README.md has no configuration")
	}
	w := fleet.Open(t, fleet.Newest(t), "", text)
	fleet.MustDestroyAtEnd(t, w)
	out := inColor(t, w, "plan")
	outputs["plan in the readme"] = documents.Warning(t, out, `Placement "web-2-crp"`)
	outputs["changes in the readme"] = documents.Attribute(t, out, "fleet_crp.web_2", "planned_changes")
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-3", "apps/v1", "Deployment", "web-2", "web", 3, "spec", "replicas")
	contains(t, must(t, w, "plan"), "No changes.")
}

// showTakeover plans the modes in the order of the guide, and applies all but the last.
func showTakeover(t *testing.T, outputs map[string]string) {
	fleet.PutExample(t, "takeover")
	w := fleet.Open(t, fleet.Newest(t), "examples/takeover", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	for _, mode := range []string{"Never", "IfNoDiff", "Always"} {
		variable := "-var=when_to_take_over=" + mode
		out := inColor(t, w, "plan", variable)
		outputs["plan with "+strings.ToLower(mode)] = documents.Warning(t, out, `Placement "web-2-crp"`)
		if mode == "IfNoDiff" {
			outputs["changes with ifnodiff"] = documents.Attribute(t, out, "fleet_crp.web_2", "planned_changes")
		}
		if mode != "Always" {
			must(t, w, "apply", "-auto-approve", variable)
		}
		if mode == "IfNoDiff" {
			showOwners(t, outputs)
		}
	}
}

// showOwners applies the data sources of the guide.
func showOwners(t *testing.T, outputs map[string]string) {
	text := documents.Read(t, filepath.Join(documents.Root(t), "templates", "guides", "takeover.md"))
	_, text, _ = strings.Cut(text, "## Find out who placed an object")
	_, text, _ = strings.Cut(text, "```terraform\n")
	text, _, found := strings.Cut(text, "\n```\n")
	if !found {
		t.Fatal("the guide has no data sources")
	}
	w := fleet.Open(t, fleet.Newest(t), "", fleet.Provider(fleet.Env.Kubeconfig)+text)
	must(t, w, "apply", "-auto-approve")
	outputs["owners"] = strings.TrimSpace(harness.Output(t, w, "owners"))
	outputs["unplaced"] = strings.TrimSpace(harness.Output(t, w, "unplaced"))
}

// showFederate hands over the workload of one member, and then plans to place it on another one, where it differs.
func showFederate(t *testing.T, outputs map[string]string) {
	fleet.PutExample(t, "federate")
	w := fleet.Open(t, fleet.Newest(t), "examples/federate", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	show := func(name string, args ...string) {
		t.Helper()
		outputs["federate "+name] = documents.Warning(t, inColor(t, w, append([]string{"plan"}, args...)...), `Placement "my-nginx"`)
	}
	outputs["federate plan"] = documents.Attribute(t, inColor(t, w, "plan"), "module.my_nginx.fleet_crp.this[0]", "planned_changes")
	must(t, w, "apply", "-auto-approve")
	const two = `-var=clusters=["member-1", "member-2"]`
	show("plan that differs", two)
	show("plan that restarts", two, "-var=when_to_take_over=Always")
	show("destroy plan", "-destroy")
}

func showPreview(t *testing.T, outputs map[string]string) {
	fleet.PutExample(t, "placement-preview")
	w := fleet.Open(t, fleet.Newest(t), "examples/placement-preview", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	outputs["failed check"] = documents.Warning(t, inColor(t, w, "apply", "-auto-approve"), "Check block assertion failed")
	outputs["preview report"] = strings.TrimSpace(harness.Output(t, w, "preview_report"))
}

// showWhatIf previews the loss of each member.
func showWhatIf(t *testing.T, outputs map[string]string) {
	w := fleet.Open(t, fleet.Newest(t), "examples/what-if", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	outputs["what if check"] = documents.Warning(t, inColor(t, w, "plan"), "Check block assertion failed")
	must(t, w, "apply", "-auto-approve", "-var=state=Gone")
	var reports map[string]string
	if err := json.Unmarshal([]byte(must(t, w, "output", "-json", "reports")), &reports); err != nil {
		t.Fatal(err)
	}
	outputs["what if report"] = strings.TrimSpace(reports["member-3"])
}

// showPolicy plans a change that violates a policy of the example.
func showPolicy(t *testing.T, outputs map[string]string) {
	fleet.PutExample(t, "policy")
	w := fleet.Open(t, fleet.Newest(t), "examples/policy", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	args := []string{"plan", "-out=tfplan", "-var=image=nginx:1.30", "-var=at=" + noon}
	outputs["policy check"] = documents.Warning(t, inColor(t, w, append(args, "-var=enforce=false")...), "Check block assertion failed")
	outputs["policy denials"] = strings.Join(denials(t, planAt(t, w, noon)), "\n")
	out, err := w.Run(t.Context(), nil, args...)
	if err == nil {
		t.Fatalf("the plan succeeded:\n%s", out)
	}
	outputs["policy precondition"] = documents.Diagnostic(t, out, "Error: Module output value precondition failed")
}

// showSplit splits a placement in two.
func showSplit(t *testing.T, outputs map[string]string) {
	w := fleet.Open(t, fleet.Newest(t), "examples/split", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	out := inColor(t, w, "plan", "-var=split=true")
	outputs["split plan of the shop"] = documents.Attribute(t, out, "fleet_crp.shop[0]", "planned_changes")
	outputs["split plan of the platform"] = documents.Attribute(t, out, "fleet_crp.platform", "planned_changes")
	must(t, w, "apply", "-auto-approve", "-var=split=true")
	contains(t, must(t, w, "plan", "-var=split=true"), "No changes.")
	must(t, w, "destroy", "-auto-approve", "-var=split=true") // without the variable, one placement would list the other one's objects
}

// showHandover plans the takeover of a workload that an admission policy changes.
func showHandover(t *testing.T, outputs map[string]string) {
	_, rest, _ := strings.Cut(harness.Nginx, "---\n")
	fleet.PutForTest(t, "member-1", harness.Injecting)
	fleet.PutForTest(t, "member-1", rest)
	const warning = "Handing over Deployment brownfield/my-nginx"
	w := fleet.Open(t, fleet.Newest(t), "", fleet.Provider(fleet.Env.Kubeconfig)+harness.Members+strings.Replace(harness.HandedOver, `"rollout"`, `"unknown"`, 1))
	harness.Await(t, "the policy to take effect", func() bool { return strings.Contains(squeeze(must(t, w, "plan")), warning) })
	outputs["handover that restarts"] = documents.Warning(t, inColor(t, w, "plan"), warning)
}

// inColor runs Terraform as in a terminal, where warnings have a frame.
func inColor(t *testing.T, w *workspace.Workspace, args ...string) string {
	t.Helper()
	out, err := w.Run(t.Context(), nil, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}
