package kubeadmiral

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
)

// TestAffinityNotes checks that an import warns if the configuration matches more clusters than the external policy.
func TestAffinityNotes(t *testing.T) {
	t.Parallel()
	field := v1alpha1.ClusterSelectorRequirement{Key: "metadata.name", Operator: "In", Values: []string{"member-1"}}
	label := v1alpha1.ClusterSelectorRequirement{Key: "a", Operator: "In", Values: []string{"b"}}
	for name, c := range map[string]struct {
		term v1alpha1.ClusterSelectorTerm
		want bool
	}{
		"a field": {v1alpha1.ClusterSelectorTerm{MatchFields: []v1alpha1.ClusterSelectorRequirement{field}}, true},
		"a label": {v1alpha1.ClusterSelectorTerm{MatchExpressions: []v1alpha1.ClusterSelectorRequirement{label}}, false},
	} {
		policy := &v1alpha1.ClusterPropagationPolicy{}
		policy.Spec.ClusterAffinity = []v1alpha1.ClusterSelectorTerm{c.term}
		i := &importer{fleet: &host.Fleet{Policy: policy, PolicyLive: &unstructured.Unstructured{Object: map[string]any{}}, ExternalPolicy: &policy.Spec}}
		i.policy()
		notes := strings.Join(i.notes, "\n")
		if strings.Contains(notes, "unchanged: clusterAffinity,") != c.want || strings.Contains(notes, "match more clusters than the clusterAffinity") != c.want {
			t.Errorf("%s: %s", name, notes)
		}
	}
}
