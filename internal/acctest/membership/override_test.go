package membership

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

func TestOverride(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	binary := fleet.Newest(t)
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", "override", "hub.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	fleet.Put(t, "hub", string(text))
	w := fleet.Open(t, binary, "examples/override", "")
	fleet.LeaveAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "override-web", "web", 3, "spec", "replicas")
	fleet.Check(t, "member-3", "apps/v1", "Deployment", "override-web", "web", 1, "spec", "replicas")
	fleet.Check(t, "member-2", "v1", "Namespace", "", "override-web", "member-2", "metadata", "labels", "cluster")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "override-web", "limits", 10, "data", "max")
	fleet.Absent(t, "member-3", "v1", "ConfigMap", "override-web", "limits")
	contains(t, must(t, w, "plan"), "No changes.")
	contains(t, must(t, w, "show"), `"Available"`)

	// A changed override changes the placement on the affected clusters, in one plan and one apply.
	file := filepath.Join(w.Dir, "main.tf")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(config), "jsonencode(1)", "jsonencode(2)", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, w, "apply", "-auto-approve"), "1 to update on member-3", "spec.replicas: 1 -> 2")
	contains(t, must(t, w, "plan"), "No changes.")
	fleet.Check(t, "member-3", "apps/v1", "Deployment", "override-web", "web", 2, "spec", "replicas")

	// An override that cannot be applied blocks the cluster, and the error names the rule.
	if err := os.WriteFile(file, []byte(strings.Replace(string(config), `"/spec/replicas"`, `"/spec/no/such/field"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, w, "plan"), "ResourceOverride override-web/web", "/spec/no/such/field")
	out, err := w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color")
	if err == nil {
		t.Errorf("the apply succeeded:\n%s", out)
	}
	contains(t, out, "ResourceOverride override-web/web", "/spec/no/such/field")
	contains(t, must(t, w, "show"), "OverriddenFailed")
	fleet.Check(t, "member-3", "apps/v1", "Deployment", "override-web", "web", 2, "spec", "replicas")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, w, "destroy", "-auto-approve")
	fleet.Absent(t, "member-1", "v1", "Namespace", "", "override-web")
	fleet.Absent(t, "member-1", "v1", "ConfigMap", "fleet-system", "resource-override-override-web.web")
}
