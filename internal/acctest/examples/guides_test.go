package examples

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
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
	outputs["getting started destroy plan"] = documents.Warning(t, inColor(t, w, "plan", "-destroy", changed), `Placement "hello"`)
	show("destroy", "Destroy complete!", "destroy", "-auto-approve", changed)
	for _, member := range fleet.Env.Members {
		fleet.Absent(t, member, "v1", "Namespace", "", "hello")
	}
}

// showMigration plans the takeover of objects that other tools created. Each tool's marks are those that it leaves on its objects.
func showMigration(t *testing.T, outputs map[string]string) {
	fleet.Clear(t, "shop")
	text := documents.Read(t, filepath.Join(documents.Root(t), "examples", "migrate", "app", "shop.yaml"))
	namespaced := regexp.MustCompile(`(?m)^  namespace: shop$`)
	withAnnotation := func(annotation string) string {
		return namespaced.ReplaceAllString(text, "  namespace: shop\n  annotations:\n    "+annotation)
	}
	argo := strings.Replace(withAnnotation(`argocd.argoproj.io/tracking-id: "shop:apps/Deployment:shop/web"`), "replicas: 2", "replicas: 3", 1)
	for member, tool := range map[string]struct{ manager, text string }{
		"member-1": {"Terraform", text},                                                                     // kubernetes_manifest
		"member-2": {"kubectl", withAnnotation("kubectl.kubernetes.io/last-applied-configuration: \"{}\"")}, // kubectl_manifest
		"member-3": {"argocd-controller", argo},
	} {
		client := fleet.On(t, member).As(tool.manager)
		t.Cleanup(func() {
			if err := client.Delete(context.Background(), "v1", "Namespace", "", "shop"); err != nil {
				t.Error(err)
			}
		})
		if err := client.Apply(t.Context(), []byte(tool.text)); err != nil {
			t.Fatal(err)
		}
	}
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

// A chart's custom resource is applied after its definition, its hooks are left out, and its objects get the namespace of the release.
func TestChart(t *testing.T) {
	w := fleet.Open(t, fleet.Newest(t), "examples/bring/helm", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "shop.example.org/v1", "Coupon", "bring-helm", "welcome", 10, "spec", "percent")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "bring-helm", "shop", 1, "spec", "replicas")
	fleet.Absent(t, "member-1", "batch/v1", "Job", "bring-helm", "shop-migrate")
	path := filepath.Join(w.Dir, "main.tf")
	text := documents.Read(t, path)
	change := func(old, replacement string) {
		t.Helper()
		changed := strings.Replace(text, old, replacement, 1)
		if changed == text {
			t.Fatalf("the example has no %q", old)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(` if !can(yamldecode(text).metadata.annotations["helm.sh/hook"])`, "")
	contains(t, must(t, w, "plan"), "create: Job bring-helm/shop-migrate")
	change(`merge({ namespace = "bring-helm" }, yamldecode(text).metadata)`, "yamldecode(text).metadata")
	if out, err := w.Run(t.Context(), nil, "plan", "-no-color"); err == nil || !strings.Contains(squeeze(out), "namespace") {
		t.Errorf("objects without a namespace are not rejected: %v\n%s", err, out)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { // for the destroy
		t.Fatal(err)
	}
}

// The second placement is not written before the first one is available. The failure replaces neither of them.
func TestOrder(t *testing.T) {
	w := fleet.Open(t, fleet.Newest(t), "examples/bring/order", "")
	fleet.MustDestroyAtEnd(t, w)
	edit := func(name, old, replacement string) {
		t.Helper()
		path := filepath.Join(w.Dir, name)
		if err := os.WriteFile(path, []byte(strings.Replace(documents.Read(t, path), old, replacement, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const noAddress = "---\napiVersion: v1\nkind: Service\nmetadata: {name: database, namespace: bring-order}\nspec: {type: LoadBalancer, ports: [{port: 1}]}\n"
	database := filepath.Join("app", "database.yaml")
	edit(database, "apiVersion", noAddress+"---\napiVersion")
	edit("main.tf", "  depends_on", "  timeouts = { create = \"10s\" }\n  depends_on")
	out, err := w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color")
	if err == nil {
		t.Fatalf("the apply does not fail:\n%s", out)
	}
	contains(t, out, "The database is not available: ", "Service bring-order/database")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "bring-order", "database", 1, "spec", "replicas")
	fleet.Absent(t, "member-1", "apps/v1", "Deployment", "bring-order", "shop")
	edit(database, noAddress, "")
	contains(t, must(t, w, "apply", "-auto-approve"), "1 added, 1 changed, 0 destroyed")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "bring-order", "shop", 1, "spec", "replicas")
}

// The built overlay of the example is the output of Kustomize.
func TestKustomization(t *testing.T) {
	kubectl, err := gobuild.Build(t.Context(), gobuild.Target{Name: "kubectl", ModuleDir: "internal/tools/kubectl", Package: ".", LDFlags: "-s -w"}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(documents.Root(t), "examples", "bring", "kustomize")
	got, err := exec.CommandContext(t.Context(), kubectl, "kustomize", filepath.Join(dir, "production")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(documents.Read(t, filepath.Join(dir, "built", "production.yaml")), string(got)); diff != "" {
		t.Errorf("built/production.yaml is out of date (- file, + built):\n%s", diff)
	}
}

var block = regexp.MustCompile("(?ms)^(?:```|~~~)(hcl|terraform)\n(.*?)\n(?:```|~~~)$")

// otherProvider matches a provider that this machine does not have.
var otherProvider = regexp.MustCompile(`source *= *"([^"]+)"`)

// Every configuration in the documents is valid: a whole one, with its own required_providers, as Terraform validates it, and a part of one by its syntax.
// Providers of others are not installed here, so configurations with them are checked by their syntax too.
func TestConfigurations(t *testing.T) {
	binary := fleet.Newest(t)
	syntax := fleet.Open(t, binary, "", "locals {}")
	whole := 0
	for _, path := range documents.Paths(t) {
		for _, found := range block.FindAllStringSubmatch(documents.Read(t, path), -1) {
			text := found[2]
			if err := os.WriteFile(filepath.Join(syntax.Dir, "block.tf"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := syntax.Run(t.Context(), nil, "fmt", "-no-color", "-list=false", "block.tf"); err != nil {
				t.Errorf("%s: %v\n%s\n%s", path, err, out, text)
			}
			others := otherProvider.FindAllStringSubmatch(text, -1)
			if !strings.Contains(text, "required_providers") || len(others) != 1 || strings.Contains(text, "kubefleet = {") {
				continue
			}
			whole++
			must(t, fleet.Open(t, binary, "", text), "validate")
		}
	}
	if whole == 0 {
		t.Error("no document has a whole configuration")
	}
}
