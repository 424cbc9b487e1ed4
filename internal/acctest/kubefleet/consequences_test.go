package kubefleet

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// dependent is an envelope, and a placement that refers to the selectors of the envelope: the hub acts on a change of the envelope before Terraform changes the
// placement.
const dependent = `
variable "quotas" {
  type    = list(string)
  default = ["first"]
}
variable "name" {
  type    = string
  default = "quotas"
}
resource "fleet_envelope_configmap" "app" {
  name      = var.name
  namespace = "$ns"
  manifests = { for name in var.quotas : name => "{apiVersion: v1, kind: ResourceQuota, metadata: {name: ${name}}, spec: {hard: {pods: '5'}}}" }
}
resource "fleet_crp" "app" {
  name               = "$ns"
  resource_selectors = fleet_envelope_configmap.app.resource_selectors
  policy             = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  strategy           = { apply_strategy = { when_to_take_over = "Always" }, rolling_update = { max_unavailable = "100%" } }
}
`

// TestConsequencesOfEnvelope checks that an envelope is not written if the hub would then take over objects that the plan does not show.
func TestConsequencesOfEnvelope(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "consequences")
	w.Put("hub", "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	run := newWorkspace(t, provider(env.Kubeconfig)+w.Expand(dependent))
	must(t, run, "apply", "-auto-approve")

	const theirs = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: second, namespace: $ns}, spec: {hard: {pods: '1'}}}"
	const both = `-var=quotas=["first","second"]`
	pods := func(member string) any { return w.Value(member, "v1 ResourceQuota $ns/second", "spec", "hard", "pods") }
	w.Put("member-2", theirs)
	contains(t, must(t, run, "plan", "-out=plan", both), w.Expand("The hub acts on envelope $ns/quotas immediately: 1 object taken over"),
		w.Expand("taken over: ResourceQuota $ns/second from envelope $ns/quotas on member-2"))
	w.Put("member-1", theirs)
	out, err := run.Run(t.Context(), nil, "apply", "-no-color", "plan")
	if err == nil {
		t.Errorf("the apply succeeded:\n%s", out)
	}
	contains(t, out, w.Expand("The plan does not show an effect of envelope $ns/quotas on the hub"),
		w.Expand(`placement "$ns": ResourceQuota $ns/second on cluster "member-1": the plan did not show the takeover`))
	if data := w.Value("hub", placementAPI+" ResourceEnvelope $ns/quotas", "data"); len(data.(map[string]any)) != 1 || pods("member-1") != "1" || pods("member-2") != "1" {
		t.Errorf("the apply wrote: %v", data)
	}

	must(t, run, "apply", "-auto-approve", both)
	for _, member := range []string{"member-1", "member-2"} {
		w.Eventually("the quota is taken over on "+member, func() bool { return pods(member) == "5" })
	}
	contains(t, must(t, run, "plan", both), "No changes.")

	// When an envelope is replaced, the hub deletes its objects.
	must(t, run, "taint", "fleet_envelope_configmap.app")
	contains(t, must(t, run, "plan", "-out=plan", both), "The hub acts on envelope", "4 objects deleted")
	must(t, run, "apply", "plan")
	contains(t, must(t, run, "plan", both), "No changes.")

	// The same happens if the envelope is renamed and its removal comes first.
	const renamed = "-var=name=renamed"
	contains(t, must(t, run, "plan", "-out=plan", both, renamed), "The hub acts on envelope", "4 objects deleted")
	must(t, run, "apply", "plan")
	contains(t, must(t, run, "plan", both, renamed), "No changes.")

	if out := must(t, run, "plan", "-destroy", both, renamed); strings.Contains(out, "The hub acts on envelope") {
		t.Errorf("the placement was removed before the envelope:\n%s", out)
	}
	must(t, run, "destroy", "-auto-approve", both, renamed)
	for _, member := range []string{"member-1", "member-2"} {
		w.AwaitGone(member, "v1 Namespace $ns")
	}
}

// TestConsequencesWithoutPermission checks that an envelope can be written with credentials that are not allowed to list placements.
func TestConsequencesWithoutPermission(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "consequences")
	w.Put("hub", "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := recorder.Close(); err != nil {
			t.Error(err)
		}
	})
	recorder.Inject(clusters.Fault{Context: env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return strings.HasSuffix(r.Path, "/clusterresourceplacements")
	}})
	run := newWorkspace(t, provider(recorder.Kubeconfig())+w.Expand(`
variable "pods" { default = "5" }
resource "fleet_envelope_configmap" "app" {
  name      = "quotas"
  namespace = "$ns"
  manifests = { quota = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {pods: '${var.pods}'}}}" }
}
`))
	for _, pods := range []string{"5", "6"} {
		contains(t, must(t, run, "apply", "-auto-approve", "-var=pods="+pods), w.Expand("The effect of envelope $ns/quotas on the hub is unknown"), "403")
	}
	must(t, run, "destroy", "-auto-approve")
}

// awayFrom is a placement on every member without the label $ns. labelledMember sets that label on member-2.
const (
	awayFrom = `
resource "fleet_crp" "app" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns" }]
  policy = { placement_type = "PickAll", affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
    cluster_selector_terms = [{ label_selector = { match_expressions = [{ key = "$ns", operator = "DoesNotExist" }] } }]
  } } } }
  strategy = { apply_strategy = { when_to_take_over = "Always" }, rolling_update = { max_unavailable = "100%" } }
}
`
	labelledMember = `
variable "labelled" { default = true }
resource "fleet_member_cluster" "second" {
  count          = var.labelled ? 1 : 0
  name           = "member-2"
  adopt_existing = true
  labels         = { "$ns" = "out" }
}
`
)

// TestConsequencesOfMember checks that the removal of a label changes a placement of another configuration only as its plan shows.
func TestConsequencesOfMember(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "consequences")
	w.Put("hub", "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	w.Put("hub", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {greeting: hello}}")
	members := newWorkspace(t, provider(env.Kubeconfig)+w.Expand(labelledMember))
	must(t, members, "apply", "-auto-approve")
	placements := newWorkspace(t, provider(env.Kubeconfig)+w.Expand(awayFrom))
	must(t, placements, "apply", "-auto-approve")

	const without = "-var=labelled=false"
	w.Put("member-2", "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	contains(t, must(t, members, "plan", "-out=plan", without), "The hub acts on member member-2 immediately: 1 object taken over")
	w.Put("member-2", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {greeting: theirs}}")
	out, err := members.Run(t.Context(), nil, "apply", "-no-color", "plan")
	if err == nil {
		t.Errorf("the apply succeeded:\n%s", out)
	}
	contains(t, out, "The plan does not show an effect of member member-2 on the hub", w.Expand("ConfigMap $ns/settings"))
	if got := w.Value("member-2", "v1 ConfigMap $ns/settings", "data", "greeting"); got != "theirs" {
		t.Errorf("object: %v", got)
	}

	must(t, members, "apply", "-auto-approve", without)
	w.Eventually("the object is taken over", func() bool { return w.Value("member-2", "v1 ConfigMap $ns/settings", "data", "greeting") == "hello" })
	must(t, placements, "destroy", "-auto-approve")
}
