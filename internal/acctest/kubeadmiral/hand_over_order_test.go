package kubeadmiral

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// TestHandOverFromDestroyed merges two placements and destroys one of them with count = 0. If both existed before, Terraform destroys the giver before it
// applies the taker. One apply completes the handover, and no object is deleted or recreated.
func TestHandOverFromDestroyed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	for _, merge := range []string{"into a new placement", "into the second one", "back into the first one"} {
		for _, members := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, connected members %t", merge, members), func(t *testing.T) {
				mergeDestroyed(t, merge, members)
			})
		}
	}
}

func mergeDestroyed(t *testing.T, merge string, members bool) {
	t.Helper()
	fleet.Parallel(t)
	w := world.New(t, env, "hand-over", "hub")
	provider := fleet.Provider(env.Kubeconfig)
	if !members {
		provider = fmt.Sprintf("provider \"fleet\" {\n  engine = %q\n  hub    = { config_path = %q, config_context = %q }\n}\n", fleet.Engine, env.Kubeconfig, env.Hub)
	}
	text := func(resources ...string) string {
		return provider + w.Expand(twoConfigMaps+strings.Join(resources, ""))
	}
	uids := func() string {
		var out []string
		for _, member := range env.Members {
			for _, name := range []string{"a", "b"} {
				uid := "none"
				if u := w.Find(member, "v1 ConfigMap $ns/"+name); u != nil {
					uid = string(u.GetUID())
				}
				out = append(out, name+" on "+member+": "+uid)
			}
		}
		return strings.Join(out, "\n")
	}
	const both, destroyed = "{ a = local.a, b = local.b }", "count = 0\n  depends_on = [fleet_crp."
	run := fleet.NewWorkspace(t, text(placementOf("bulk", both, "")))
	workspace.Must(t, run, "apply", "-auto-approve")
	before := uids()
	if merge != "into a new placement" {
		hub.Write(t, run.Dir, text(placementOf("web", "{ b = local.b }", `takes_over_from = ["$ns-bulk"]`), placementOf("bulk", "{ a = local.a }", "depends_on = [fleet_crp.web]")))
		workspace.Must(t, run, "apply", "-auto-approve")
	}
	taker, giver := "web", "bulk"
	if merge == "back into the first one" {
		taker, giver = giver, taker
	}
	hub.Write(t, run.Dir, text(placementOf(taker, both, `takes_over_from = ["$ns-`+giver+`"]`), placementOf(giver, "{ a = local.a }", destroyed+taker+"]")))
	workspace.Must(t, run, "apply", "-auto-approve", "-parallelism=1")
	if now := uids(); now != before {
		t.Fatalf("objects before:\n%s\nafter:\n%s", before, now)
	}
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
	if w.Find("hub", "core.kubeadmiral.io/v1alpha1 ClusterPropagationPolicy $ns-"+giver) != nil {
		t.Error("the giver's policy still exists")
	}
	workspace.Must(t, run, "destroy", "-auto-approve")
	w.AwaitGone("member-2", "v1 ConfigMap $ns/b")
}
