package protocol

import (
	"testing"
)

// onHub are the objects on the hub that the placement selects.
const onHub = `
apiVersion: v1
kind: Namespace
metadata: {name: life-selection}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: life-selection}
data: {color: red}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: life-selection}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.29"}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: life-selection-reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`

// selection places onHub on the two members in production.
const selection = `
resource "fleet_crp" "p" {
  name = "life-selection"
  resource_selectors = [
    { group = "", version = "v1", kind = "Namespace", name = "life-selection" },
    { group = "rbac.authorization.k8s.io", version = "v1", kind = "ClusterRole", name = "life-selection-reader" },
  ]
  policy = {
    placement_type = "PickAll"
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
      cluster_selector_terms = [{ label_selector = { match_labels = { environment = "production" } } }]
    } } }
  }
}
`

// TestLifeOfSelection checks that a placement applies changes of the selected objects on the hub, and reverts changes on members.
func TestLifeOfSelection(t *testing.T) {
	t.Parallel()
	const address = "fleet_crp.p"
	provider := configured(t, "")
	fleet.Clear(t, "life-selection")
	fleet.Put(t, "hub", onHub)
	w := New()
	got := changes(t, w.Apply(t.Context(), provider+selection), address, Create)
	for at, want := range map[string]any{"phase": "Available", "problems": "", "planned_changes": "8 to create on member-1 and member-2 (when_to_take_over: Always)\n" +
		"member-3: not picked: ClusterUnschedulable, cluster does not match with any of the required cluster affinity terms\n" +
		"create: Namespace life-selection, ConfigMap life-selection/settings, ClusterRole life-selection-reader, Deployment life-selection/web"} {
		if value := Lookup(got.After, at); value != want {
			t.Errorf("%s: got %v, want %v", at, value, want)
		}
	}
	for _, into := range []func(*Workspace) Result{
		func(into *Workspace) Result {
			return into.Import(t.Context(), provider+selection, address, "life-selection")
		},
		func(into *Workspace) Result {
			return into.ImportByIdentity(t.Context(), provider+selection, address, w)
		},
	} {
		imported := New()
		done(t, into(imported))
		changes(t, imported.Plan(t.Context(), provider+selection), address, NoOp)
	}

	patches(t, "life-selection", "settings", "hub", `{"data":{"color":"blue"}}`)()
	got = changes(t, w.Plan(t.Context(), provider+selection), address, Update)
	if phase := Lookup(got.After, "phase"); phase != Unknown {
		t.Errorf("planned phase: %v", phase)
	}
	changes(t, w.Apply(t.Context(), provider+selection), address, Update)
	fleet.Check(t, "member-1", "v1", "ConfigMap", "life-selection", "settings", "blue", "data", "color")

	patches(t, "life-selection", "settings", "member-1", `{"data":{"color":"green"}}`)()
	deletes(t, "life-selection", "settings", "member-2")()
	changes(t, w.Apply(t.Context(), provider+selection), address, Update)
	fleet.Check(t, "member-1", "v1", "ConfigMap", "life-selection", "settings", "blue", "data", "color")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "life-selection", "settings", "blue", "data", "color")
	changes(t, w.Plan(t.Context(), provider+selection), address, NoOp)

	changes(t, w.Apply(t.Context(), provider), address, Delete)
	for _, member := range fleet.Env.Members {
		fleet.Absent(t, member, "v1", "Namespace", "", "life-selection")
		fleet.Absent(t, member, "rbac.authorization.k8s.io/v1", "ClusterRole", "", "life-selection-reader")
		fleet.Absent(t, member, "v1", "ConfigMap", "fleet-system", "placement-life-selection")
	}
}
