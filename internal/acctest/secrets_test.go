package acctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// The values of Secrets among the manifests are in no plan, output or log, and the plan shows what changes beside them.
func TestSecretsOfManifests(t *testing.T) {
	clusters.Need(t, env)
	const planted, next = "planted-71c2", "planted-82d3"
	config := provider(env.Kubeconfig) + members + `
resource "fleet_crp" "p" {
  name = "masked"
  manifests = {
    "all.yaml" = <<-EOT
      {apiVersion: v1, kind: Namespace, metadata: {name: masked}}
      ---
      {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: masked}, data: {level: info}}
      ---
      {apiVersion: v1, kind: Secret, metadata: {name: key, namespace: masked}, stringData: {password: ` + planted + `}}
    EOT
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  ` + afterMembers + `
}
`
	w := newWorkspace(t, newest(t), "", config)
	destroyAtEnd(t, w)
	log := filepath.Join(w.Dir, "trace.log")
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	out := must(t, w, "plan")
	contains(t, out, "password: (sensitive value 1)", "data: {level: info}", "name: masked")
	out += must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan"), "No changes.")

	rewrite(t, w, strings.NewReplacer(planted, next, "level: info", "level: debug").Replace(config))
	changed := must(t, w, "plan")
	contains(t, changed, "password: (sensitive value 1)", "password: (sensitive value 2)", "level: info", "level: debug")
	out += changed + must(t, w, "apply", "-auto-approve")
	check(t, "member-1", "v1", "Secret", "masked", "key", "cGxhbnRlZC04MmQz", "data", "password")
	contains(t, must(t, w, "plan"), "No changes.")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{planted, next, "cGxhbnRlZC03MWMy", "cGxhbnRlZC04MmQz"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q is in a plan or an output", secret)
		}
		if strings.Contains(string(text), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
}
