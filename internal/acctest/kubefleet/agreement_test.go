package kubefleet

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// The creation of a placement ends with an error before its first write if its plan did not show a takeover: an object appeared on a member after the plan,
// or the plan could not reach the hub.
func TestTakeoverThatWasNotShown(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	for name, unreachable := range map[string]bool{"appeared": false, "unreachable": true} {
		t.Run(name, func(t *testing.T) {
			w := world.New(t, env, "notshown")
			w.Put("hub", app)
			recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = recorder.Close() })
			run := newWorkspace(t, provider(recorder.Kubeconfig())+w.Expand(`
resource "fleet_crp" "app" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns-app" }]
  policy             = { placement_type = "PickFixed", cluster_names = ["member-2"] }
  strategy           = { apply_strategy = { when_to_take_over = "Always" } }
}
`))
			undo := func() {}
			if unreachable {
				undo = recorder.Inject(clusters.Fault{Context: env.Hub, Refuse: true})
			}
			must(t, run, "plan", "-out=saved")
			undo()
			w.Put("member-2", app)
			w.Edit("member-2", "v1 ConfigMap $ns-app/settings", "{data: {greeting: goodbye}}")
			recorder.Reset()
			out, err := run.Run(t.Context(), nil, "apply", "-no-color", "saved")
			if err == nil {
				t.Errorf("the apply succeeded:\n%s", out)
			}
			contains(t, out, w.Expand("ConfigMap $ns-app/settings"), "did not show the takeover")
			for _, r := range recorder.Writes() {
				t.Errorf("the apply wrote: %s", r)
			}
			if placed := get(t, "hub", placementAPI, "ClusterResourcePlacement", "", w.Name); placed != nil {
				t.Errorf("the hub has %s", text(placed))
			}
			if got := w.Value("member-2", "v1 ConfigMap $ns-app/settings", "data", "greeting"); got != "goodbye" {
				t.Errorf("the object has %q", got)
			}
			contains(t, strings.ToLower(must(t, run, "apply", "-auto-approve")), "take over")
			w.Eventually("the object is taken over", func() bool {
				return w.Value("member-2", "v1 ConfigMap $ns-app/settings", "data", "greeting") == "hello"
			})
		})
	}
}
