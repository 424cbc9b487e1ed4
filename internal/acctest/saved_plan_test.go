package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// TestSavedPlan checks that Terraform passes the plan's private state to the apply of a saved plan: a creation, an update and a replacement are bound to what
// their plan shows, without any argument for that.
func TestSavedPlan(t *testing.T) {
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", "")
	fleet.DestroyAtEnd(t, w)
	configuration := func(placementType string, names ...string) string {
		var manifests strings.Builder
		for _, name := range names {
			manifests.WriteString("    " + name + " = \"{apiVersion: v1, kind: ConfigMap, metadata: {name: saved-" + name + ", namespace: default}, data: {of: ours}}\"\n")
		}
		return fleet.Provider(fleet.Env.Kubeconfig) + "resource \"fleet_crp\" \"p\" {\n  name = \"saved\"\n  manifests = {\n" + manifests.String() + "  }\n" +
			"  policy = { " + placementType + " }\n}\n"
	}
	theirs := func(name string) {
		fleet.Put(t, "member-1", "{apiVersion: v1, kind: ConfigMap, metadata: {name: saved-"+name+", namespace: default}, data: {of: theirs}}")
	}
	is := func(name, want string) {
		t.Helper()
		fleet.Check(t, "member-1", "v1", "ConfigMap", "default", "saved-"+name, want, "data", "of")
	}
	const fixed, all = `placement_type = "PickFixed", cluster_names = ["member-1"]`, `placement_type = "PickAll"`

	harness.Rewrite(t, w, configuration(fixed, "a"))
	contains(t, must(t, w, "plan", "-out=saved"), "1 to create")
	theirs("a")
	contains(t, must(t, w, "apply", "saved"), "1 skipped, changed since the plan", "ConfigMap default/saved-a", "the plan did not show the takeover")
	is("a", "theirs")

	harness.Rewrite(t, w, configuration(fixed, "a", "b"))
	contains(t, must(t, w, "plan", "-out=saved"), "1 to create", "1 existing object on member-1 to take over")
	theirs("b")
	contains(t, must(t, w, "apply", "saved"), "1 skipped, changed since the plan", "ConfigMap default/saved-b")
	is("a", "ours")
	is("b", "theirs")

	harness.Rewrite(t, w, configuration(all, "a", "c"))
	must(t, w, "taint", "fleet_crp.p")
	contains(t, must(t, w, "plan", "-out=saved"), "REPLACED")
	theirs("c")
	contains(t, must(t, w, "apply", "saved"), "1 skipped, changed since the plan", "ConfigMap default/saved-c")
	is("c", "theirs")
}

// TestApplyPlansOnce checks that an apply does not repeat the preview of its plan.
func TestApplyPlansOnce(t *testing.T) {
	t.Parallel()
	recorder := fleet.Record(t)
	w := fleet.Open(t, fleet.Newest(t), "", fleet.Provider(recorder.Kubeconfig())+`
resource "fleet_crp" "p" {
  name      = "plans-once"
  manifests = { a = "{apiVersion: v1, kind: ConfigMap, metadata: {name: plans-once, namespace: default}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
}
`)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "plan", "-out=saved")
	recorder.Reset()
	must(t, w, "apply", "saved")
	lists := 0
	for _, r := range recorder.Requests() {
		if r.Context == "member-1" && r.DryRun {
			t.Errorf("the apply made a dry run: %s", r)
		}
		if r.Context == "member-1" && r.Method == "GET" && strings.HasSuffix(r.Path, "/namespaces/default/configmaps") {
			lists++
		}
	}
	if lists > 1 {
		t.Errorf("the apply listed the objects %d times", lists)
	}
}
