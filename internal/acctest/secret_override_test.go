package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// What an override gives a Secret reaches it, and is in no ConfigMap, plan or output. The record is refreshed, imported, mended and removed
// as others are.
func TestOverrideOfSecret(t *testing.T) {
	clusters.Need(t, fleet.Env)
	const planted, next, recordName = "planted-b5a6", "planted-c6b7", "resource-override-keyed.o"
	text := fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_resource_override" "o" {
  name               = "o"
  namespace          = "keyed"
  resource_selectors = [{ group = "", version = "v1", kind = "Secret", name = "key" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [] }
    json_patch_overrides = [{ op = "add", path = "/stringData/password", value = jsonencode("PASSWORD-on-$${MEMBER-CLUSTER-NAME}") }]
  }] }
}
resource "fleet_crp" "p" {
  name = "keyed"
  manifests = {
    "ns.yaml"  = "{apiVersion: v1, kind: Namespace, metadata: {name: keyed}}"
    "key.yaml" = "{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: keyed}, stringData: {user: me}}"
  }
  policy     = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on = [fleet_member_cluster.member_1, fleet_member_cluster.member_2, fleet_member_cluster.member_3, fleet_resource_override.o]
}
`
	config := func(password string) string { return strings.Replace(text, "PASSWORD", password, 1) }
	w := fleet.Open(t, fleet.Newest(t), "", config(planted))
	fleet.DestroyAtEnd(t, w)
	out := must(t, w, "plan") + must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "v1", "Secret", "keyed", "key", "cGxhbnRlZC1iNWE2LW9uLW1lbWJlci0x", "data", "password")
	contains(t, must(t, w, "plan"), "No changes.")

	harness.Rewrite(t, w, config(next))
	changed := must(t, w, "plan")
	contains(t, changed, "(sensitive value)", "1 to update")
	out += changed + must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "v1", "Secret", "keyed", "key", "cGxhbnRlZC1jNmI3LW9uLW1lbWJlci0x", "data", "password")
	contains(t, must(t, w, "plan"), "No changes.")

	must(t, w, "state", "rm", "fleet_resource_override.o")
	out += must(t, w, "import", "fleet_resource_override.o", "keyed/o")
	contains(t, must(t, w, "plan"), "No changes.")

	// A lost Secret is a lost record.
	if err := fleet.On(t, "member-2").Delete(t.Context(), "v1", "Secret", "fleet-system", recordName); err != nil {
		t.Fatal(err)
	}
	lost := must(t, w, "plan")
	contains(t, lost, "member-2", "1 to change")
	out += lost + must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan"), "No changes.")

	for _, cluster := range fleet.Env.Members {
		u, err := fleet.On(t, cluster).Get(t.Context(), "v1", "ConfigMap", "fleet-system", recordName)
		if err != nil || u == nil {
			t.Fatalf("%s has no record: %v", cluster, err)
		}
		record, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		out += string(record)
	}
	for _, secret := range []string{planted, next, "cGxhbnRlZC1iNWE2", "cGxhbnRlZC1jNmI3"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q is in a plan, an output or a ConfigMap", secret)
		}
	}

	// Without a Secret among its objects the record is a ConfigMap again.
	harness.Rewrite(t, w, strings.Replace(config("shown"), `kind = "Secret"`, `kind = "ConfigMap"`, 1))
	must(t, w, "apply", "-auto-approve")
	fleet.Absent(t, "member-1", "v1", "Secret", "fleet-system", recordName)
	harness.Rewrite(t, w, config(planted))
	must(t, w, "apply", "-auto-approve")
	must(t, w, "destroy", "-auto-approve")
	for _, kind := range []string{"ConfigMap", "Secret"} {
		fleet.Absent(t, "member-1", "v1", kind, "fleet-system", recordName)
	}
}
