package acctest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// The workload of the published document, which runs on member-2 before: never, if it does not differ, always; and destroying the
// placement leaves it there.
func TestTakeover(t *testing.T) {
	binary := newest(t)
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	for cluster, file := range map[string]string{"hub": "hub.yaml", "member-2": "member-2.yaml"} {
		text, err := os.ReadFile(filepath.Join(root, "examples", "takeover", file))
		if err != nil {
			t.Fatal(err)
		}
		put(t, cluster, string(text))
	}
	w := newWorkspace(t, binary, "examples/takeover", "")
	destroyAtEnd(t, w)
	pods := podUIDs(t, "member-2", "web-2")

	out := must(t, w, "plan")
	contains(t, out, "Placement \"web-2-crp\" (3 clusters): 3 conflicts on member-2 left alone, 6 to create", "Namespace web-2 on member-2 (kubectl): NotTakenOver", "member-1 and member-3: create 3",
		"spec.replicas: 2 on the cluster (written by kubectl-client-side-apply), 3 to be placed")
	must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "state", "show", "fleet_crp.web_2"), `"member-2: Deployment web-2/web: NotTakenOver"`)
	check(t, "member-1", "apps/v1", "Deployment", "web-2", "web", 3, "spec", "replicas")
	check(t, "member-2", "apps/v1", "Deployment", "web-2", "web", 2, "spec", "replicas")
	contains(t, must(t, w, "plan"), "No changes.")

	out = must(t, w, "plan", "-var=when_to_take_over=IfNoDiff")
	contains(t, out, "1 conflict on member-2 left alone, 2 existing objects on member-2 to take over", "Deployment web-2/web", "FailedToTakeOver", "spec.replicas: 2 on the cluster (written by kubectl-client-side-apply), 3 to be placed")
	must(t, w, "apply", "-auto-approve", "-var=when_to_take_over=IfNoDiff")
	contains(t, must(t, w, "state", "show", "fleet_crp.web_2"), `"member-2: Deployment web-2/web: FailedToTakeOver"`)
	check(t, "member-2", "apps/v1", "Deployment", "web-2", "web", 2, "spec", "replicas")
	contains(t, must(t, w, "plan", "-var=when_to_take_over=IfNoDiff"), "No changes.")

	out = must(t, w, "plan", "-var=when_to_take_over=Always")
	contains(t, out, "1 existing object on member-2 to take over", "Deployment web-2/web on member-2 (kubectl), overwritten:", "spec.replicas: 2 on the cluster (written by kubectl-client-side-apply), 3 to be placed")
	must(t, w, "apply", "-auto-approve", "-var=when_to_take_over=Always")
	check(t, "member-2", "apps/v1", "Deployment", "web-2", "web", 3, "spec", "replicas")
	contains(t, must(t, w, "plan", "-var=when_to_take_over=Always"), "No changes.")

	// A takeover restarts no pod: the ones that ran before still do.
	after := podUIDs(t, "member-2", "web-2")
	for uid := range pods {
		if !after[uid] {
			t.Errorf("pod %s was restarted by the takeover", uid)
		}
	}

	must(t, w, "destroy", "-auto-approve", "-var=when_to_take_over=Always")
	absent(t, "member-1", "v1", "Namespace", "", "web-2")
	check(t, "member-2", "apps/v1", "Deployment", "web-2", "web", 3, "spec", "replicas")
	for _, object := range []struct{ apiVersion, kind, namespace, name string }{
		{"v1", "Namespace", "", "web-2"}, {"apps/v1", "Deployment", "web-2", "web"}, {"v1", "Service", "web-2", "web"},
	} {
		check(t, "member-2", object.apiVersion, object.kind, object.namespace, object.name, nil, "metadata", "labels", "applyset.kubernetes.io/part-of")
	}
}

func podUIDs(t *testing.T, cluster, namespace string) map[string]bool {
	t.Helper()
	pods, err := on(t, cluster).List(context.Background(), "v1", "Pod", namespace, "")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, pod := range pods {
		out[string(pod.GetUID())] = true
	}
	return out
}

// Two placements never fight over an object, whatever their modes say.
func TestTwoPlacementsOneObject(t *testing.T) {
	binary := newest(t)
	manifests := `manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: shared}}" }`
	first := provider(env.Kubeconfig) + members + `
resource "fleet_crp" "first" {
  name       = "first"
  ` + manifests + `
  ` + afterMembers + `
}
`
	w := newWorkspace(t, binary, "", first)
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	second := first + `
resource "fleet_crp" "second" {
  name = "second"
  ` + manifests + `
  ` + afterMembers + `
}
`
	rewrite(t, w, second)
	contains(t, must(t, w, "plan"), `another placement "first"`, "FailedToTakeOver")
	contains(t, must(t, w, "apply", "-auto-approve"), "FailedToTakeOver", `placement "first"`)

	strict := second[:len(second)-2] + "  on_takeover_conflict = \"error\"\n}\n"
	rewrite(t, w, strict)
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Errorf("the plan did not fail:\n%s", out)
	}
	contains(t, out, `on_takeover_conflict is "error"`)
	rewrite(t, w, second)
}
