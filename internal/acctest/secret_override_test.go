package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// configureSecretOverride returns a placement of a Secret, with an override that sets its password. Each member has the override's record.
func configureSecretOverride(namespace, password string) string {
	return fleet.Provider(fleet.Env.Kubeconfig) + strings.NewReplacer("PASSWORD", password, "keyed", namespace).Replace(`
resource "fleet_resource_override" "o" {
  name               = "o"
  namespace          = "keyed"
  resource_selectors = [{ group = "", version = "v1", kind = "Secret", name = "key" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [] }
    json_patch_overrides = [{ op = "add", path = "/stringData/password", value_sensitive = jsonencode("PASSWORD-on-$${MEMBER-CLUSTER-NAME}") }]
  }] }
}
resource "fleet_crp" "p" {
  name = "keyed"
  manifests = {
    "ns.yaml"  = "{apiVersion: v1, kind: Namespace, metadata: {name: keyed}}"
    "key.yaml" = "{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: keyed}, stringData: {user: me}}"
  }
  policy     = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on = [fleet_resource_override.o]
}
`)
}

// Two passwords, and the beginnings of their base64 forms.
const (
	plantedOverride, plantedNext       = "planted-b5a6", "planted-c6b7"
	plantedOverride64, plantedNext64   = "cGxhbnRlZC1iNWE2", "cGxhbnRlZC1jNmI3"
	plantedOnMember1, plantedNextOnOne = "cGxhbnRlZC1iNWE2LW9uLW1lbWJlci0x", "cGxhbnRlZC1jNmI3LW9uLW1lbWJlci0x"
)

// checkNoPasswords checks that neither the output nor a ConfigMap of the override's record contains a password.
func checkNoPasswords(t *testing.T, namespace, out string) {
	t.Helper()
	for _, cluster := range fleet.Env.Members {
		u, err := fleet.On(t, cluster).Get(t.Context(), "v1", "ConfigMap", "fleet-system", "resource-override-"+namespace+".o")
		if err != nil || u == nil {
			t.Fatalf("%s: read the record: %v", cluster, err)
		}
		record, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		out += string(record)
	}
	for _, secret := range []string{plantedOverride, plantedNext, plantedOverride64, plantedNext64} {
		if strings.Contains(out, secret) {
			t.Errorf("%q is in a plan, an output or a ConfigMap", secret)
		}
	}
}

// A value that an override sets in a Secret reaches the Secret, and is in no ConfigMap, plan or output.
func TestOverrideOfSecret(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	w := fleet.Open(t, fleet.Newest(t), "", configureSecretOverride("keyed", plantedOverride))
	fleet.DestroyAtEnd(t, w)
	out := must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "v1", "Secret", "keyed", "key", plantedOnMember1, "data", "password")
	contains(t, must(t, w, "plan"), "No changes.")

	harness.Rewrite(t, w, configureSecretOverride("keyed", plantedNext))
	changed := must(t, w, "plan", "-out=saved")
	contains(t, changed, "(sensitive value)", "1 to update")
	out += changed + must(t, w, "apply", "saved")
	fleet.Check(t, "member-1", "v1", "Secret", "keyed", "key", plantedNextOnOne, "data", "password")
	contains(t, must(t, w, "plan"), "No changes.")
	checkNoPasswords(t, "keyed", out)
}

// TestRecordOfSecretOverride checks that the record of an override of a Secret is refreshed, imported, repaired and removed like other records. It is not
// parallel: while the record's Secret is missing, no placement can be previewed on that member.
func TestRecordOfSecretOverride(t *testing.T) { //nolint:paralleltest // see above
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	clusters.Need(t, fleet.Env)
	const recordName = "resource-override-recorded.o"
	w := fleet.Open(t, fleet.Newest(t), "", configureSecretOverride("recorded", plantedNext))
	fleet.DestroyAtEnd(t, w)
	out := must(t, w, "apply", "-auto-approve")
	must(t, w, "state", "rm", "fleet_resource_override.o")
	out += must(t, w, "import", "fleet_resource_override.o", "recorded/o")
	contains(t, must(t, w, "plan"), "No changes.")

	// Without its Secret, the record counts as missing.
	if err := fleet.On(t, "member-2").Delete(t.Context(), "v1", "Secret", "fleet-system", recordName); err != nil {
		t.Fatal(err)
	}
	lost := must(t, w, "apply", "-auto-approve")
	contains(t, lost, "member-2", "1 to change")
	out += lost
	contains(t, must(t, w, "plan"), "No changes.")
	checkNoPasswords(t, "recorded", out)

	// If no object is a Secret and no value is sensitive, the record is a ConfigMap again.
	harness.Rewrite(t, w, strings.NewReplacer(`kind = "Secret"`, `kind = "ConfigMap"`, "value_sensitive", "value").Replace(configureSecretOverride("recorded", "shown")))
	must(t, w, "apply", "-auto-approve")
	fleet.Absent(t, "member-1", "v1", "Secret", "fleet-system", recordName)
	harness.Rewrite(t, w, configureSecretOverride("recorded", plantedOverride))
	must(t, w, "apply", "-auto-approve")
	must(t, w, "destroy", "-auto-approve")
	for _, kind := range []string{"ConfigMap", "Secret"} {
		fleet.Absent(t, "member-1", "v1", kind, "fleet-system", recordName)
	}
}
