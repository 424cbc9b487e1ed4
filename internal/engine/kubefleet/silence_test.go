package kubefleet

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
)

// The heartbeats count as overdue, so that the hub's agent may have stopped, only if this is true of every member that has ever sent one.
func TestHeartbeats(t *testing.T) {
	now := time.Now()
	member := func(name string, age time.Duration, period int32) cluster.MemberCluster {
		return cluster.MemberCluster{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: cluster.MemberClusterSpec{HeartbeatPeriodSeconds: &period},
			Status: cluster.MemberClusterStatus{AgentStatus: []cluster.AgentStatus{{Type: "MemberAgent", LastReceivedHeartbeat: metav1.NewTime(now.Add(-age))}}},
		}
	}
	joining := cluster.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: "joining"}}
	for name, c := range map[string]struct {
		members []cluster.MemberCluster
		reports int
		overdue bool
	}{
		"no member":       {nil, 0, false},
		"none has joined": {[]cluster.MemberCluster{joining}, 0, false},
		"all are overdue": {[]cluster.MemberCluster{member("a", 3*time.Minute, 60), member("b", time.Minute, 15), joining}, 2, true},
		"one is overdue":  {[]cluster.MemberCluster{member("a", 3*time.Minute, 60), member("b", time.Minute, 60)}, 2, false},
	} {
		if reports, overdue := heartbeats(c.members, now); len(reports) != c.reports || overdue != c.overdue {
			t.Errorf("%s: %v, all overdue: %t", name, reports, overdue)
		}
	}
}
