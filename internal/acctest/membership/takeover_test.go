package membership

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// The workload of the published guide already runs on member-2. It is placed with Never, IfNoDiff and Always; destroying the placement keeps it there.
func TestTakeover(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	binary := fleet.Newest(t)
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	for cluster, file := range map[string]string{"hub": "hub.yaml", "member-2": "member-2.yaml"} {
		text, err := os.ReadFile(filepath.Join(root, "examples", "takeover", file))
		if err != nil {
			t.Fatal(err)
		}
		fleet.Put(t, cluster, string(text))
	}
	w := fleet.Open(t, binary, "examples/takeover", "")
	fleet.LeaveAtEnd(t, w)
	pods := fleet.PodUIDs(t, "member-2", "web-2")

	harness.ApplyPlanned(t, w, []string{"Placement \"web-2-crp\" (3 clusters): 3 conflicts on member-2 not taken over, 6 to create", "Namespace web-2 on member-2 (kubectl): NotTakenOver", "6 to create on member-1 and member-3",
		"spec.replicas: 2 -> 3 (current value set by kubectl-client-side-apply)"})
	contains(t, must(t, w, "state", "show", "fleet_crp.web_2"), "member-2: Deployment web-2/web: NotTakenOver")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "web-2", "web", 3, "spec", "replicas")
	fleet.Check(t, "member-2", "apps/v1", "Deployment", "web-2", "web", 2, "spec", "replicas")
	contains(t, must(t, w, "plan"), "No changes.")

	harness.ApplyPlanned(t, w, []string{"1 conflict on member-2 not taken over, 2 existing objects on member-2 to take over", "Deployment web-2/web", "FailedToTakeOver", "spec.replicas: 2 -> 3 (current value set by kubectl-client-side-apply)"},
		"-var=when_to_take_over=IfNoDiff")
	contains(t, must(t, w, "state", "show", "fleet_crp.web_2"), "member-2: Deployment web-2/web: FailedToTakeOver")
	fleet.Check(t, "member-2", "apps/v1", "Deployment", "web-2", "web", 2, "spec", "replicas")
	contains(t, must(t, w, "plan", "-var=when_to_take_over=IfNoDiff"), "No changes.")

	harness.ApplyPlanned(t, w, []string{"1 existing object on member-2 to take over", "Deployment web-2/web on member-2 (kubectl), overwritten:", "spec.replicas: 2 -> 3 (current value set by kubectl-client-side-apply)"},
		"-var=when_to_take_over=Always")
	fleet.Check(t, "member-2", "apps/v1", "Deployment", "web-2", "web", 3, "spec", "replicas")
	contains(t, must(t, w, "plan", "-var=when_to_take_over=Always"), "No changes.")

	// A takeover restarts no Pod: the earlier Pods still run.
	after := fleet.PodUIDs(t, "member-2", "web-2")
	for uid := range pods {
		if !after[uid] {
			t.Errorf("pod %s was restarted by the takeover", uid)
		}
	}

	must(t, w, "destroy", "-auto-approve", "-var=when_to_take_over=Always")
	fleet.Absent(t, "member-1", "v1", "Namespace", "", "web-2")
	fleet.Check(t, "member-2", "apps/v1", "Deployment", "web-2", "web", 3, "spec", "replicas")
	for _, object := range []struct{ apiVersion, kind, namespace, name string }{
		{"v1", "Namespace", "", "web-2"}, {"apps/v1", "Deployment", "web-2", "web"}, {"v1", "Service", "web-2", "web"},
	} {
		fleet.Check(t, "member-2", object.apiVersion, object.kind, object.namespace, object.name, nil, "metadata", "labels", "applyset.kubernetes.io/part-of")
	}
}
