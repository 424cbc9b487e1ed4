package predict

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

var deployment = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}

func candidate(name string, changes ...func(*Candidate)) Candidate {
	c := Candidate{
		Name: name, Labels: map[string]string{}, Joined: true, Ready: true,
		Types: []v1alpha1.APIResource{{Group: "apps", Version: "v1", Kind: "Deployment", PluralName: "deployments", Scope: "Namespaced"}},
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func free(cpu, memory string) func(*Candidate) {
	return func(c *Candidate) {
		c.Resources.Allocatable = map[string]resource.Quantity{"cpu": resource.MustParse("10"), "memory": resource.MustParse("100Gi")}
		c.Resources.Available = map[string]resource.Quantity{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}
	}
}

func taint(effect v1alpha1.TaintEffect) func(*Candidate) {
	return func(c *Candidate) {
		c.Taints = append(c.Taints, v1alpha1.Taint{Key: "gpu", Value: "a", Effect: effect})
	}
}

func term(key, operator string, values ...string) v1alpha1.ClusterSelectorTerm {
	return v1alpha1.ClusterSelectorTerm{MatchExpressions: []v1alpha1.ClusterSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
}

// TestSchedule checks the filters and scores of KubeAdmiral's scheduler, as read in its source and observed on a real host.
func TestSchedule(t *testing.T) {
	t.Parallel()
	labelled := func(key, value string) func(*Candidate) { return func(c *Candidate) { c.Labels[key] = value } }
	unready := func(c *Candidate) { c.Ready = false }
	two := v1alpha1.PropagationPolicySpec{MaxClusters: new(int64(2))}
	west := v1alpha1.Affinity{ClusterAffinity: v1alpha1.ClusterAffinity{Preferred: []v1alpha1.PreferredSchedulingTerm{
		{Weight: 100, Preference: term("region", "In", "west")},
	}}}
	for name, c := range map[string]struct {
		policy     v1alpha1.PropagationPolicySpec
		affinity   v1alpha1.Affinity
		unit       Unit
		candidates []Candidate
		want       []string
	}{
		"all":           {candidates: []Candidate{candidate("b"), candidate("a")}, want: []string{"a", "b"}},
		"two of three":  {policy: two, candidates: []Candidate{candidate("c"), candidate("b"), candidate("a")}, want: []string{"a", "b"}},
		"more than are": {policy: v1alpha1.PropagationPolicySpec{MaxClusters: new(int64(5))}, candidates: []Candidate{candidate("a")}, want: []string{"a"}},
		"none":          {policy: v1alpha1.PropagationPolicySpec{MaxClusters: new(int64(0))}, candidates: []Candidate{candidate("a")}},
		"the least used": {
			policy:     v1alpha1.PropagationPolicySpec{MaxClusters: new(int64(1))},
			candidates: []Candidate{candidate("a", free("2", "20Gi")), candidate("b", free("8", "80Gi"))}, want: []string{"b"},
		},
		"the more balanced": {
			policy:     v1alpha1.PropagationPolicySpec{MaxClusters: new(int64(1))},
			candidates: []Candidate{candidate("a", free("9", "10Gi")), candidate("b", free("5", "50Gi"))}, want: []string{"b"},
		},
		"preferred": {
			policy: v1alpha1.PropagationPolicySpec{MaxClusters: new(int64(1))}, affinity: west,
			candidates: []Candidate{candidate("a"), candidate("b", labelled("region", "west"))}, want: []string{"b"},
		},
		"stays": {
			policy: two, unit: Unit{Sticky: true, Current: map[string]bool{"c": true}},
			candidates: []Candidate{candidate("a"), candidate("b"), candidate("c")}, want: []string{"c"},
		},
		"not ready":             {candidates: []Candidate{candidate("a", unready), candidate("b")}, want: []string{"b"}},
		"not ready, and placed": {unit: Unit{Current: map[string]bool{"a": true}}, candidates: []Candidate{candidate("a", unready)}, want: []string{"a"}},
		"not joined":            {candidates: []Candidate{candidate("a", func(c *Candidate) { c.Joined = false })}},
		"another kind":          {unit: Unit{Kind: schema.GroupVersionKind{Group: "x", Version: "v1", Kind: "Y"}}, candidates: []Candidate{candidate("a")}},
		"tainted":               {candidates: []Candidate{candidate("a", taint("NoSchedule")), candidate("b", taint("PreferNoSchedule"))}, want: []string{"b"}},
		"tainted, and placed":   {unit: Unit{Current: map[string]bool{"a": true}}, candidates: []Candidate{candidate("a", taint("NoSchedule"))}, want: []string{"a"}},
		"evicted":               {unit: Unit{Current: map[string]bool{"a": true}}, candidates: []Candidate{candidate("a", taint("NoExecute"))}},
		"tolerated": {
			policy:     v1alpha1.PropagationPolicySpec{Tolerations: []v1alpha1.Toleration{{Key: "gpu", Operator: "Equal", Value: "a"}}},
			candidates: []Candidate{candidate("a", taint("NoSchedule"))}, want: []string{"a"},
		},
		"named": {
			policy:     v1alpha1.PropagationPolicySpec{Placements: []v1alpha1.DesiredPlacement{{Cluster: "b"}, {Cluster: "x"}}, Tolerations: []v1alpha1.Toleration{{Operator: "Exists"}}},
			candidates: []Candidate{candidate("a"), candidate("b", taint("NoExecute"))}, want: []string{"b"},
		},
		"by label": {
			policy:     v1alpha1.PropagationPolicySpec{ClusterAffinity: []v1alpha1.ClusterSelectorTerm{term("env", "In", "prod"), term("gpu", "Exists")}},
			candidates: []Candidate{candidate("a", labelled("env", "prod")), candidate("b", labelled("gpu", "")), candidate("c")}, want: []string{"a", "b"},
		},
		"an empty term": {policy: v1alpha1.PropagationPolicySpec{ClusterAffinity: []v1alpha1.ClusterSelectorTerm{{}}}, candidates: []Candidate{candidate("a")}},
	} {
		if c.unit.Kind.Kind == "" {
			c.unit.Kind = deployment
		}
		var got []string
		for cluster, pick := range Schedule(c.policy, c.affinity, c.unit, c.candidates) {
			if pick.Selected {
				got = append(got, cluster)
			} else if pick.Reason == "" {
				t.Errorf("%s: %s is left out for no reason", name, cluster)
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestTiedCluster checks that the cause of a cluster that loses a tie mentions the equal score.
func TestTiedCluster(t *testing.T) {
	one := v1alpha1.PropagationPolicySpec{MaxClusters: new(int64(1))}
	got := Schedule(one, v1alpha1.Affinity{}, Unit{Kind: deployment}, []Candidate{candidate("a"), candidate("b")})
	if cause := got["b"].Cause; !strings.HasSuffix(cause, "; a picked cluster has the same score, and its name comes first") {
		t.Errorf("the cause is %q", cause)
	}
	got = Schedule(one, v1alpha1.Affinity{}, Unit{Kind: deployment}, []Candidate{candidate("a", free("2", "20Gi")), candidate("b", free("8", "80Gi"))})
	if cause := got["a"].Cause; strings.Contains(cause, "the same score") {
		t.Errorf("the cause is %q", cause)
	}
}
