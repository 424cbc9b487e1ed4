package kubefleet

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/published"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// seed is the status of a placement in the configuration's outputs.
type seed struct {
	Phase    string
	Problems string
}

// fullStatus is the part of a status that the documents print.
type fullStatus struct {
	SelectedResources []struct{ Kind, Name, Namespace string } `json:"selected_resources"`
	Conditions        map[string]struct{ Status, Reason, Message string }
	PlacementStatuses map[string]struct {
		Conditions       map[string]struct{ Status, Reason, Message string }
		FailedPlacements []struct {
			Kind, Name, Namespace string
			Envelope              *struct{ Name, Namespace string }
			Condition             struct{ Status, Reason, Message string }
		} `json:"failed_placements"`
	} `json:"placement_statuses"`
}

// statuses are the outputs of an apply.
type statuses struct {
	Statuses struct{ Value map[string]seed }
	Whole    struct{ Value map[string]fullStatus }
}

// The placements of the published documents are one configuration. With the engines direct and kubefleet, they have the same statuses after the first apply,
// which are those in the documents, and after a change. The destroy deletes their objects.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	clusters.Need(t, env)
	ends := map[string][]statuses{}
	for _, engine := range []string{"direct", "kubefleet"} {
		t.Run(engine, func(t *testing.T) {
			published.Prepare(t, env)
			w := newWorkspace(t, published.Configuration(t))
			w.Env = append(w.Env, "TF_VAR_engine="+engine)
			ends[engine] = runLives(t, w)
		})
	}
	if t.Failed() {
		return
	}
	for i, direct := range ends["direct"] {
		if diff := cmp.Diff(direct.Statuses.Value, ends["kubefleet"][i].Statuses.Value); diff != "" {
			t.Errorf("step %d: statuses (-direct +kubefleet):\n%s", i, diff)
		}
	}
}

// Each of the published examples has the result that the guide shows for this engine.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	published.Walk(t, published.Fleet{Env: env, Engine: fleet.Engine, Open: newWorkspace}, *harness.Update)
}

// runLives applies, changes and destroys the placements, and returns the statuses after each apply.
func runLives(t *testing.T, w *workspace.Workspace) []statuses {
	t.Helper()
	contains(t, must(t, w, "plan"),
		`Placement "web-2-crp" (3 clusters): 3 conflicts on member-2 not taken over`)
	must(t, w, "apply", "-auto-approve")
	first := outputs(t, w)
	checkPublished(t, first)
	// A hub retries on its own to place an object that no cluster accepts. Without a hub, the next apply retries.
	if out := must(t, w, "plan"); !strings.Contains(out, "No changes.") {
		contains(t, out, "fleet_crp.broken will be updated", "Plan: 0 to add, 1 to change, 0 to destroy.")
	}

	changes := []string{"-var=when_to_take_over=IfNoDiff", "-var=clusters=[\"member-1\"]", "-var=number_of_clusters=1", "-var=cpu=2", "-var=broken=1"}
	contains(t, must(t, w, append([]string{"plan"}, changes...)...), "FailedToTakeOver", "spec.replicas: 2 -> 3")
	must(t, w, append([]string{"apply", "-auto-approve"}, changes...)...)
	second := outputs(t, w)
	checkChanged(t, second)
	// An output has the whole status, which contains the times of the last comparison. So the plan can change this output.
	if out := must(t, w, append([]string{"plan"}, changes...)...); !strings.Contains(out, "No changes.") {
		contains(t, out, "without changing any real infrastructure")
	}

	must(t, w, append([]string{"destroy", "-auto-approve"}, changes...)...)
	for _, member := range env.Members {
		for _, name := range published.Namespaces {
			if u := get(t, member, "v1", "Namespace", "", name); u != nil {
				t.Errorf("the namespace %s is still on %s", name, member)
			}
		}
	}
	return []statuses{first, second}
}

func outputs(t *testing.T, w *workspace.Workspace) (out statuses) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, w, "output", "-json")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// checkPublished compares statuses with those in the documents, apart from reasons and conditions that KubeFleet has since renamed.
func checkPublished(t *testing.T, got statuses) {
	t.Helper()
	scheduled := func(name, message string) {
		c := got.Whole.Value[name].Conditions["ClusterResourcePlacementScheduled"]
		if c.Status != "True" || c.Reason != "SchedulingPolicyFulfilled" || !strings.HasPrefix(c.Message, message) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	const fulfilled = "found all cluster needed as specified by the scheduling policy"
	for _, name := range []string{"app", "broken", "status", "web-2-crp"} {
		scheduled(name, fulfilled)
	}
	for name, want := range map[string]string{"app": "True: ApplySucceeded", "broken": "False: ApplyFailed", "status": "True: ApplySucceeded", "web-2-crp": "False: ApplyFailed"} {
		if c := got.Whole.Value[name].Conditions["ClusterResourcePlacementApplied"]; c.Status+": "+c.Reason != want {
			t.Errorf("%s: Applied is %+v, want %q", name, c, want)
		}
	}
	broken := got.Whole.Value["broken"].PlacementStatuses["member-1"].FailedPlacements
	if len(broken) != 1 || broken[0].Kind != "ResourceQuota" || broken[0].Name != "mem-cpu-demo" || broken[0].Envelope == nil ||
		broken[0].Envelope.Name != "envelop-configmap" || broken[0].Envelope.Namespace != "test-ns" || broken[0].Condition.Status != "False" {
		t.Errorf("failed object of an envelope: %+v", broken)
	}
	status := got.Whole.Value["status"]
	if len(status.SelectedResources) != 2 || len(status.PlacementStatuses) != 2 {
		t.Errorf("placement with a printed status: %+v", status)
	}
	for name, cluster := range status.PlacementStatuses {
		want := "Successfully scheduled resources for placement in \"" + name + "\" (affinity score: 0, topology spread score: 0): picked by scheduling policy"
		if c := cluster.Conditions["Scheduled"]; c.Message != want {
			t.Errorf("%s: %q, want %q", name, c.Message, want)
		}
	}
	checkFailing(t, got, "NotTakenOver", "no ownership of the object in the member cluster; takeover is needed", "Namespace", "Service", "Deployment")
}

// checkChanged compares statuses with those in the documents after the takeover mode has become IfNoDiff.
func checkChanged(t *testing.T, got statuses) {
	t.Helper()
	checkFailing(t, got, "FailedToTakeOver",
		"cannot take over object: configuration differences are found between the manifest object and the corresponding object in the member cluster", "Deployment")
	if problems := got.Statuses.Value["broken"].Problems; problems != "" {
		t.Errorf("the repaired placement has problems: %v", problems)
	}
	for name, want := range map[string][]string{"crp-2": {"member-1"}, "affinity": {"member-1"}} {
		clusters := slices.Sorted(maps.Keys(got.Whole.Value[name].PlacementStatuses))
		if !slices.Equal(clusters, want) {
			t.Errorf("clusters of %s: %v, want %v", name, clusters, want)
		}
	}
	if quota := get(t, "member-1", "v1", "ResourceQuota", "app", "mem-cpu-demo"); quota == nil || !strings.Contains(text(quota), `"requests.cpu":"2"`) {
		t.Errorf("quota: %s", text(quota))
	}
}

// checkFailing checks that objects of the workload are not taken over on the cluster that already has them, and that all other clusters succeed.
func checkFailing(t *testing.T, got statuses, reason, message string, kinds ...string) {
	t.Helper()
	for name, cluster := range got.Whole.Value["web-2-crp"].PlacementStatuses {
		var failed []string
		for _, f := range cluster.FailedPlacements {
			failed = append(failed, f.Kind)
			if f.Condition.Reason != reason || f.Condition.Status != "False" || f.Condition.Message != "Failed to apply the manifest (error: "+message+")" {
				t.Errorf("%s: %+v", f.Kind, f.Condition)
			}
		}
		want := kinds
		if name != "member-2" {
			want = nil
		}
		slices.Sort(failed)
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), failed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// put creates objects on a cluster, and deletes the Namespaces among them when the test ends.
func put(t *testing.T, cluster, objects string) {
	t.Helper()
	client, err := env.Client(cluster)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Create(t.Context(), []byte(objects)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, name := range namespaces(objects) {
			if err := client.Delete(context.Background(), "v1", "Namespace", "", name); err != nil {
				t.Error(err)
			}
		}
	})
}
