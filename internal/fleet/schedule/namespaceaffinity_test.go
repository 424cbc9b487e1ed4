package schedule

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestNamespaceAffinity checks that a namespaced placement only picks clusters with its namespace, if the fleet collects namespaces. The
// reason for a cluster without the namespace is the namespace, not its taint.
func TestNamespaceAffinity(t *testing.T) {
	t.Parallel()
	taint := []member.Taint{{Key: "gpu", Effect: placement.NoSchedule}}
	clusters := []Cluster{
		{Name: "a", NamespacesCollected: true, Namespaces: []string{"web", "shop"}},
		{Name: "b", NamespacesCollected: true, Namespaces: []string{"shop"}, Taints: taint},
		{Name: "c", NamespacesCollected: true},
		{Name: "d", Namespaces: []string{"shop"}},
	}
	for name, c := range map[string]struct {
		namespace string
		policy    *placement.Policy
		want      []string
	}{
		"in a namespace":     {"web", nil, []string{"a", "d"}},
		"cluster-scoped":     {"", nil, []string{"a", "c", "d"}},
		"named, not asked":   {"web", &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"b", "c"}}, []string{"b", "c"}},
		"the best of two":    {"web", &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(3))}, []string{"a", "d"}},
		"a namespace nobody": {"none", nil, []string{"d"}},
	} {
		out, err := Schedule(Input{Namespace: c.namespace, Policy: c.policy, Clusters: clusters})
		if err != nil {
			t.Fatal(err)
		}
		got := out.Selected()
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for _, d := range out.Decisions {
			want := map[string]string{"b": "target namespace does not exist on cluster", "c": "cluster has no namespace information available"}[d.Cluster]
			if c.namespace == "web" && c.policy == nil && want != "" && d.Reason != unschedulable+want {
				t.Errorf("%s: %s: %s", name, d.Cluster, d.Reason)
			}
		}
	}
}
