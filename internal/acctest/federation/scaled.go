package federation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// Scaled checks that a workload keeps the number of Pods that an autoscaler has set, during the handover and when it is scaled afterwards. Only the field
// managers show that an autoscaler set the number. A misspelt key in the list of omitted objects is an error of the plan.
func Scaled(t *testing.T, f Fleet) {
	w := world.New(t, f.Env, "scaled", f.Env.Hub, "member-1", "member-2", "member-3")
	w.PutAs("member-1", "kubectl-create", nginx("nginx:1.29"))
	scale := func(patch string) { w.EditAs("member-1", "my-autoscaler", "scale", deployment, patch) }
	scale("spec: {replicas: 3}")
	before := w.Running("member-1", "run=my-nginx", 3)

	terraform := f.open(t, f.configure(t, w, onOne, `leave_out = ["configmap.$ns.settings.yaml"]`))
	out, err := terraform.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Errorf("the plan accepted a misspelt key:\n%s", out)
	}
	checkContains(t, out, "Invalid value for variable", w.Expand("The workload and its related objects have no key configmap.$ns.settings.yaml. Their keys are "+
		"deployment.$ns.my-nginx.yaml, service.$ns.my-nginx.yaml."))

	f.change(t, terraform, f.configure(t, w, onOne, ""))
	plan := run(t, terraform, "plan")
	checkContains(t, plan, "2 to take over on member-1", "take over (kubectl), no difference found",
		w.Expand(`The number of Pods of Deployment $ns/my-nginx on "member-1" is left out`), "It is scaled by my-autoscaler through the subresource scale")
	checkAbsent(t, plan, "spec.replicas:", "to restart")
	run(t, terraform, "apply", "-auto-approve")
	if diff := cmp.Diff(before, w.Running("member-1", "run=my-nginx", 3)); diff != "" {
		t.Errorf("the workload has changed: %s", diff)
	}
	scale("spec: {replicas: 4}")
	more := w.Running("member-1", "run=my-nginx", 4)
	checkContains(t, run(t, terraform, "plan"), "No changes.")

	// On a member where this apply creates the workload, the workload starts with one replica.
	f.change(t, terraform, f.configure(t, w, onTwo, `
  wait     = { until = "Applied", on_failure = "Error" }
  timeouts = { update = "5m" }`))
	run(t, terraform, "apply", "-auto-approve")
	w.Running("member-2", "run=my-nginx", 1)
	if diff := cmp.Diff(more, w.Running("member-1", "run=my-nginx", 4)); diff != "" {
		t.Errorf("placing it on another cluster changed the workload: %s", diff)
	}
	f.change(t, terraform, f.configure(t, w, onTwo, `leave_out = ["service.$ns.my-nginx.yaml"]`))
	checkAbsent(t, run(t, terraform, "plan"), "Invalid value")

	f.change(t, terraform, f.configure(t, w, onTwo, ""))
	run(t, terraform, "destroy", "-auto-approve")
	if diff := cmp.Diff(more, w.Running("member-1", "run=my-nginx", 4)); diff != "" {
		t.Errorf("the end of the placement changed the workload: %s", diff)
	}
}
