package kubeadmiral_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// A PickN placement moves when its preferred clusters change, although its policy disables rescheduling.
func TestPreferencesChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, settings)
	request := selecting(w)
	prefers := func(environment string) {
		request.Spec.Policy = &placement.Policy{
			PlacementType: placement.PickN, NumberOfClusters: new(int32(1)), Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
				Required: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{{
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"critical-level": "2"}},
				}}},
				Preferred: []placement.PreferredClusterSelector{{Weight: 100, Preference: placement.ClusterSelectorTerm{
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"environment": environment}},
				}}},
			}},
		}
	}
	const object = "v1 ConfigMap $ns-app/settings"
	from, to := "", ""
	for _, step := range []struct{ environment, member string }{{"staging", "member-3"}, {"production", "member-2"}, {"staging", "member-3"}} {
		prefers(step.environment)
		preview, err := request.Preview(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range preview.Clusters {
			if c.Picked != (c.Name == step.member) {
				t.Errorf("preferring %s, the plan says of %s that it is picked: %v", step.environment, c.Name, c.Picked)
			}
		}
		request = request.After(applied(t, w, request).Status)
		from, to = to, step.member
		w.Must(to, object)
		if from != "" && w.Find(from, object) != nil {
			t.Errorf("preferring %s, it is still on %s", step.environment, from)
		}
		if preview, err = request.Preview(w.Context(), w.Engine()); err != nil || preview.Pending() {
			t.Errorf("a second apply would do something: %+v %v", preview, err)
		}
	}
}
