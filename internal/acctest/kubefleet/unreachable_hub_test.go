package kubefleet

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// If a hub is unreachable, nothing is known about its members: a plan and a destroy return an error, and the state is kept.
func TestUnreachableHub(t *testing.T) {
	clusters.Need(t, env)
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = recorder.Close() })
	w := newWorkspace(t, provider(recorder.Kubeconfig())+"resource \"fleet_member_cluster\" \"m\" {\n  name = \"member-3\"\n}\n")
	must(t, w, "apply", "-auto-approve")
	undo := recorder.Inject(clusters.Fault{Context: env.Hub, Refuse: true})
	defer undo()
	for text, args := range map[string][]string{
		`The member cluster "member-3" could not be read`:                           {"plan"},
		`The effect of member member-3 on the hub cannot be compared with the plan`: {"destroy", "-refresh=false", "-auto-approve"},
	} {
		out, err := w.Run(t.Context(), nil, append(args, "-no-color")...)
		if err == nil || strings.Contains(out, "forgotten") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		contains(t, out, "Error: "+text)
	}
	contains(t, must(t, w, "state", "list"), "fleet_member_cluster.m")
}
