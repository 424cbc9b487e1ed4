package kubefleet

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// If an object becomes blocked after the apply, the next plan warns about it without planning a change. A plan with other content warns too: the content
// reaches the other clusters only after the cause is fixed.
func TestRefusedLater(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "later")
	w.Put("hub", app)
	run := newWorkspace(t, provider(env.Kubeconfig)+w.Expand(`
variable "unavailable" { default = "100%" }
variable "more" {
  type    = list(string)
  default = []
}
resource "fleet_crp" "app" {
  name               = "$ns"
  resource_selectors = concat([{ group = "", version = "v1", kind = "Namespace", name = "$ns-app" }], [
    for name in var.more : { group = "rbac.authorization.k8s.io", version = "v1", kind = "ClusterRole", name = name }
  ])
  strategy = {
    rolling_update = { max_unavailable = var.unavailable }
    apply_strategy = { when_to_take_over = "Never" }
  }
}
`))
	must(t, run, "apply", "-auto-approve")
	w.Put("member-2", `{apiVersion: v1, kind: ConfigMap, metadata: {name: later, namespace: $ns-app}, data: {a: theirs}}`)
	w.Put("hub", `{apiVersion: v1, kind: ConfigMap, metadata: {name: later, namespace: $ns-app}, data: {a: ours}}`)
	w.Eventually("the hub reports that the object is not taken over, and the agents of all members have reported", func() bool {
		placed := text(get(t, "hub", placementAPI, "ClusterResourcePlacement", "", w.Name))
		return strings.Contains(placed, "NotTakenOver") && !strings.Contains(placed, "ApplyPending")
	})
	contains(t, must(t, run, "plan"), "1 object not taken over since the last apply", "later on member-2: NotTakenOver", "No changes.")
	w.Put("hub", `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns-more}}`)
	more := w.Expand(`-var=more=["$ns-more"]`)
	contains(t, must(t, run, "plan", "-var=unavailable=1", more),
		"Rollout order: member-2; BLOCKED on member-1 and member-3: member-2 is not available (", "later: NotTakenOver). At most 1 may be")
}

// If an agent cannot complete a placement, later plans show no change, because the agent retries on its own. Each plan warns about it.
func TestRefusedByMember(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "refused")
	const settings = "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, data: {greeting: %s}, immutable: true}"
	space, _, _ := strings.Cut(app, "\n---\n")
	w.Put("hub", space+strings.Replace(settings, "%s", "hello", 1))
	w.Put("member-2", space+strings.Replace(settings, "%s", "goodbye", 1))
	run := newWorkspace(t, provider(env.Kubeconfig)+w.Expand(`
resource "fleet_crp" "app" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns-app" }]
}
`))
	contains(t, must(t, run, "apply", "-auto-approve"), "1 not applied", "The agents of the members retry on their own")
	contains(t, must(t, run, "plan"), "is not complete on its hub", w.Expand("ConfigMap $ns-app/settings was not applied"), "member-2", "No changes.")
	w.Remove("member-2", "v1 ConfigMap $ns-app/settings")
	w.Eventually("the agent has placed the object, and the hub reports it", func() bool {
		placed := get(t, "hub", placementAPI, "ClusterResourcePlacement", "", w.Name)
		return w.Find("member-2", "v1 ConfigMap $ns-app/settings") != nil && placed != nil && !strings.Contains(text(placed), "ManifestApplyFailed")
	})
	if out := must(t, run, "plan"); !strings.Contains(out, "No changes.") || strings.Contains(out, "is not complete") {
		t.Errorf("unexpected changes or a warning after the agent placed the object:\n%s", out)
	}
}
