package federation

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// nginx returns a workload as another client has created it on a member: a Deployment with an image, and a Service.
func nginx(image string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: my-nginx}
spec:
  selector: {matchLabels: {run: my-nginx}}
  replicas: 2
  template:
    metadata: {labels: {run: my-nginx}}
    spec: {containers: [{name: my-nginx, image: %q, ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: my-nginx, labels: {run: my-nginx}}
spec:
  ports: [{port: 80, protocol: TCP}]
  selector: {run: my-nginx}
`, image)
}

const (
	deployment = "apps/v1 Deployment my-nginx"
	service    = "v1 Service my-nginx"
)

// configure returns a configuration that places the workload of member-1 on members, with further arguments of the module.
func (f Fleet) configure(t *testing.T, w *world.World, members []string, more string) string {
	t.Helper()
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	return w.Expand(fmt.Sprintf(`
module "my_nginx" {
  source   = %q
  engine   = %q
  cluster  = %s
  clusters = [%s]
  workload = { namespace = "$ns", name = "my-nginx" }
  %s
}
`, filepath.Join(root, "examples", "modules", "federate"), f.Engine, f.names("member-1"), f.names(members...), more))
}

var (
	onOne = []string{"member-1"}
	onTwo = []string{"member-1", "member-2"}
)

// Federate checks that one apply takes over a running workload without restarting any part of it, that a differing workload is named in the plan and not taken
// over, and that the workload still runs after the module is destroyed.
func Federate(t *testing.T, f Fleet) {
	w := world.New(t, f.Env, "federate", f.Env.Hub, "member-1", "member-2", "member-3")
	w.PutAs("member-1", "kubectl-create", nginx("nginx:1.29"))
	w.PutAs("member-2", "kubectl-create", nginx("nginx:1.25"))
	first, second := f.readState(w, "member-1"), f.readState(w, "member-2")

	terraform := f.open(t, f.configure(t, w, onOne, ""))
	plan := planAndApply(t, terraform)
	checkContains(t, plan, "2 to take over on member-1",
		w.Expand("take over (kubectl), no difference found: Deployment $ns/my-nginx"), w.Expand("Service $ns/my-nginx"))
	checkAbsent(t, plan, "its Pods", "to restart", "would replace")
	f.checkUnchanged(w, "member-1", first)
	checkContains(t, run(t, terraform, "plan"), "No changes.")

	// On another member, the same name belongs to another workload.
	f.change(t, terraform, f.configure(t, w, onTwo, ""))
	plan = planAndApply(t, terraform)
	checkContains(t, plan, "1 conflict on member-2 not taken over", "on member-2 (kubectl): FailedToTakeOver",
		`spec.template.spec.containers[name=my-nginx].image: "nginx:1.25" -> "nginx:1.29"`)
	checkAbsent(t, plan, "its Pods", "to restart")
	f.checkUnchanged(w, "member-2", second)
	if !testing.Short() {
		checkContains(t, run(t, terraform, "plan"), "No changes.")
	}
	f.change(t, terraform, f.configure(t, w, onTwo, `when_to_take_over = "Always"`))
	checkContains(t, run(t, terraform, "plan"), restarts+"spec.template.spec.containers[name=my-nginx].image: ")

	f.change(t, terraform, f.configure(t, w, onTwo, ""))
	checkContains(t, run(t, terraform, "plan", "-destroy"), "Left on the cluster:", w.Expand("Deployment $ns/my-nginx on member-1"))
	run(t, terraform, "destroy", "-auto-approve")
	f.checkUnchanged(w, "member-1", first)
	f.checkUnchanged(w, "member-2", second)
	for _, member := range []string{"member-1", "member-2"} {
		if owners := w.Must(member, deployment).GetOwnerReferences(); len(owners) > 0 {
			t.Errorf("%s: the Deployment's owners: %v", member, owners)
		}
	}
}

// workloadState is the state of a workload that must not change.
type workloadState struct {
	Run                                 world.Run
	Deployment, Service, Address, Image any
}

func (Fleet) readState(w *world.World, member string) workloadState {
	w.Helper()
	containers, _ := w.Value(member, deployment, "spec", "template", "spec", "containers").([]any)
	container, _ := containers[0].(map[string]any)
	return workloadState{
		Run: w.Running(member, "run=my-nginx", 2), Deployment: w.Must(member, deployment).GetUID(), Service: w.Must(member, service).GetUID(),
		Address: w.Value(member, service, "spec", "clusterIP"), Image: container["image"],
	}
}

// checkUnchanged checks that the workload on a member runs as before.
func (f Fleet) checkUnchanged(w *world.World, member string, before workloadState) {
	w.Helper()
	if diff := cmp.Diff(before, f.readState(w, member)); diff != "" {
		w.Errorf("the workload on %s has changed: %s", member, diff)
	}
}
