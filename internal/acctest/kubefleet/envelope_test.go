package kubefleet

import (
	"testing"
)

// envelopes has an envelope with a name known after apply, and one whose halves (namespaced and cluster-scoped) can be omitted.
const envelopes = `
variable "quota" { default = true }
variable "role" { default = true }
resource "terraform_data" "suffix" {}
resource "fleet_envelope_configmap" "named" {
  name      = "e-${terraform_data.suffix.id}"
  namespace = "enveloped"
  manifests = { "role.yaml" = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: enveloped-named}}" }
}
resource "fleet_envelope_configmap" "mixed" {
  name      = "enveloped"
  namespace = "enveloped"
  labels    = { team = "web" }
  manifests = {
    "quota.yaml" = var.quota ? "{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {pods: '5'}}}" : null
    "role.yaml"  = var.role ? "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: enveloped}}" : null
  }
}
output "uids" { value = [fleet_envelope_configmap.mixed.uid, fleet_envelope_configmap.named.uid] }
`

// After an apply, the plan of an envelope is empty, whatever its manifests omit and whichever labels other clients set. Either half of it can be added and
// removed, by the configuration and by hand.
func TestEnvelopeOfTwoHalves(t *testing.T) {
	fleet.Parallel(t)
	put(t, env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: enveloped}}")
	w := newWorkspace(t, provider(env.Kubeconfig)+envelopes)
	type halves struct {
		arguments []string
		kept      [2]bool
	}
	noQuota := halves{[]string{"-var=quota=false"}, [2]bool{false, true}}
	noRole := halves{[]string{"-var=role=false"}, [2]bool{true, false}}
	runs := []halves{{nil, [2]bool{true, true}}, noQuota, {nil, [2]bool{true, true}}, noRole, noQuota}
	if testing.Short() {
		runs = []halves{noQuota, noRole} // add one half, remove the other
	}
	for _, run := range runs {
		must(t, w, append([]string{"apply", "-auto-approve"}, run.arguments...)...)
		contains(t, must(t, w, append([]string{"plan"}, run.arguments...)...), "No changes.")
		for i, kind := range []string{"ResourceEnvelope", "ClusterResourceEnvelope"} {
			namespace := "enveloped"
			if i == 1 {
				namespace = ""
			}
			if found := get(t, env.Hub, placementAPI, kind, namespace, "enveloped"); found != nil != run.kept[i] {
				t.Errorf("%v: %s: %s", run.arguments, kind, text(found))
			}
		}
	}
	must(t, w, "apply", "-auto-approve")
	hub, err := env.Client(env.Hub)
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Patch(t.Context(), placementAPI, "ResourceEnvelope", "enveloped", "enveloped",
		`{"metadata":{"labels":{"policy":"checked"},"annotations":{"policy":"checked"}}}`); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, w, "plan"), "No changes.")
	if err := hub.Delete(t.Context(), placementAPI, "ResourceEnvelope", "enveloped", "enveloped"); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, w, "apply", "-auto-approve"), "1 changed")
	contains(t, must(t, w, "plan"), "No changes.")

	if testing.Short() {
		return // make test-all also imports it
	}
	// An import has the manifests as the hub stores them.
	must(t, w, "state", "rm", "fleet_envelope_configmap.mixed")
	must(t, w, "import", "fleet_envelope_configmap.mixed", "enveloped/enveloped")
	must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan"), "No changes.")
}
