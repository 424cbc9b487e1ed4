package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// showGettingStarted runs the commands of the guide.
func showGettingStarted(t *testing.T, outputs map[string]string) {
	w := fleet.Open(t, fleet.Newest(t), "examples/getting-started", "")
	fleet.MustDestroyAtEnd(t, w)
	show := func(name, begin string, args ...string) {
		t.Helper()
		outputs["getting started "+name] = from(t, must(t, w, args...), begin)
	}
	outputs["getting started init"], _, _ = strings.Cut(from(t, must(t, w, "init"), "Terraform has been"), "\n")
	show("validate", "Success!", "validate")
	show("plan summary", "Plan: ", "plan")
	plan := inColor(t, w, "plan")
	outputs["getting started plan"] = documents.Attribute(t, plan, "fleet_crp.hello", "planned_changes")
	show("apply", "Apply complete!", "apply", "-auto-approve")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "hello", "settings", "hello", "data", "greeting")
	fleet.Absent(t, "member-3", "v1", "Namespace", "", "hello")
	show("empty plan", "No changes.", "plan")
	const changed = "-var=greeting=hi"
	outputs["getting started change"] = documents.Attribute(t, inColor(t, w, "plan", changed), "fleet_crp.hello", "planned_changes")
	must(t, w, "apply", "-auto-approve", changed)

	fleet.RemoveAtEnd(t, "member-3", "v1", "Namespace", "", "hello")
	runKubectl(t, filepath.Join("templates", "guides", "getting-started.md.tmpl"))
	w.Env = append(w.Env, "TF_VAR_greeting=hi", `TF_VAR_production=["member-1", "member-2", "member-3"]`)
	outputs["getting started conflict"] = documents.Warning(t, inColor(t, w, "plan"), `Placement "hello"`)
	contains(t, must(t, w, "plan", "-var=when_to_take_over=IfNoDiff"), "1 conflict on member-3 not taken over, 1 existing object on member-3 to take over")
	fleet.Check(t, "member-3", "v1", "ConfigMap", "hello", "settings", "hey", "data", "greeting")
	const always = "-var=when_to_take_over=Always"
	outputs["getting started takeover"] = documents.Warning(t, inColor(t, w, "plan", always), `Placement "hello"`)
	w.Env = append(w.Env, "TF_VAR_when_to_take_over=Always")
	show("takeover apply", "Apply complete!", "apply", "-auto-approve")
	fleet.Check(t, "member-3", "v1", "ConfigMap", "hello", "settings", "hi", "data", "greeting")

	outputs["getting started destroy plan"] = documents.Warning(t, inColor(t, w, "plan", "-destroy"), `Placement "hello"`)
	show("destroy", "Destroy complete!", "destroy", "-auto-approve")
	for _, member := range fleet.Env.Members[:2] {
		fleet.Absent(t, member, "v1", "Namespace", "", "hello")
	}
	fleet.Check(t, "member-3", "v1", "ConfigMap", "hello", "settings", "hi", "data", "greeting")
}

// kubectlLine is a command of a document that names a context.
var kubectlLine = regexp.MustCompile(`(?m)^kubectl --kubeconfig "\$TF_VAR_kubeconfig" --context .*$`)

// runKubectl runs the commands of kubectl in a document that name a context, in the folder of the document.
func runKubectl(t *testing.T, document string) {
	t.Helper()
	kubectl, err := cli.Build(t.Context(), cli.KubectlName, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(documents.Root(t), document)
	commands := kubectlLine.FindAllString(documents.Read(t, path), -1)
	if len(commands) == 0 {
		t.Fatalf("%s has no command of kubectl with a context", document)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-ec", strings.Join(commands, "\n"))
	shell.Dir = filepath.Dir(path)
	shell.Env = append(os.Environ(), "TF_VAR_kubeconfig="+fleet.Env.Kubeconfig, "PATH="+filepath.Dir(kubectl)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// showMigration plans the takeover of objects that other tools created. The commands in the README of the example create them, with the marks of the tools.
func showMigration(t *testing.T, outputs map[string]string) {
	fleet.Clear(t, "shop")
	for _, member := range fleet.Env.Members {
		fleet.RemoveAtEnd(t, member, "v1", "Namespace", "", "shop")
	}
	runKubectl(t, filepath.Join("examples", "migrate", "README.md"))
	before := map[string]map[string]bool{}
	for _, member := range fleet.Env.Members {
		harness.Await(t, "Pods on "+member, func() bool { return len(fleet.PodUIDs(t, member, "shop")) >= 2 })
		before[member] = fleet.PodUIDs(t, member, "shop")
	}
	w := fleet.Open(t, fleet.Newest(t), "examples/migrate", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	out := inColor(t, w, "plan")
	outputs["migrate plan"] = documents.Warning(t, out, `Placement "shop"`)
	outputs["migrate changes"] = documents.Attribute(t, out, "fleet_crp.shop", "planned_changes")
	outputs["migrate apply"] = from(t, must(t, w, "apply", "-auto-approve"), "Apply complete!")
	for _, member := range fleet.Env.Members[:2] {
		for uid := range before[member] {
			if !fleet.PodUIDs(t, member, "shop")[uid] {
				t.Errorf("a Pod of %s no longer exists after the takeover", member)
			}
		}
	}
	contains(t, must(t, w, "plan", "-destroy"), "Deployment shop/web on member-1 and member-2: pre-existing")
	must(t, w, "destroy", "-auto-approve")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "shop", "web", 2, "spec", "replicas")
}

// from returns the part of an output that begins with a text.
func from(t *testing.T, out, begin string) string {
	t.Helper()
	_, rest, found := strings.Cut(out, begin)
	if !found {
		t.Fatalf("missing %q in:\n%s", begin, out)
	}
	return strings.TrimSpace(begin + rest)
}
