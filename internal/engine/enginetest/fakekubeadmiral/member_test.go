package fakekubeadmiral

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
)

// The time of a condition's last transition changes with the status of the condition, and not with its reason.
func TestLastTransitionTime(t *testing.T) {
	t.Parallel()
	before := metav1.NewTime(time.Now().Add(-time.Hour))
	for name, c := range map[string]struct {
		status, reason string
		changes        bool
	}{
		"the same":       {"True", "ClusterReady", false},
		"another reason": {"True", "ClusterReachable", false},
		"another status": {"Unknown", "ClusterNotReachable", true},
	} {
		m := &v1alpha1.FederatedCluster{}
		m.Status.Conditions = []v1alpha1.ClusterCondition{{Type: v1alpha1.ConditionReady, Status: "True", Reason: "ClusterReady", LastTransitionTime: before}}
		set(m, v1alpha1.ConditionReady, c.status, c.reason, "")
		got := convert.Condition(*m, v1alpha1.ConditionReady)
		if got.Status != c.status || got.Reason != c.reason || got.LastTransitionTime.Equal(&before) == c.changes {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
