package kubefleet

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// A change is not done before the clusters that the placement leaves are clean, whether it remains on others or not. With strategy type External, an update run
// removes the objects later, so the change does not wait for them.
func TestDoneWhileLeaving(t *testing.T) {
	applied := placement.Status{Clusters: map[string]placement.ClusterStatus{}}
	for _, conditionType := range []string{
		placement.Scheduled, placement.RolloutStarted, placement.Overridden, placement.WorkSynchronized, placement.Applied,
	} {
		applied.Conditions = append(applied.Conditions, placement.Condition{Type: conditionType, Status: placement.True, ObservedGeneration: 1})
	}
	nowhere := placement.Status{Conditions: applied.Conditions[:1]}
	somewhere := applied
	somewhere.Clusters = map[string]placement.ClusterStatus{"a": {Conditions: applied.Conditions}}
	external := placement.Spec{Strategy: &placement.Strategy{Type: placement.ExternalStrategy}}
	for name, c := range map[string]struct {
		status  placement.Status
		spec    placement.Spec
		leaving map[string]string
		want    bool
	}{
		"on a cluster":                          {somewhere, placement.Spec{}, nil, true},
		"on a cluster, and leaves another":      {somewhere, placement.Spec{}, map[string]string{"b": "why"}, false},
		"nowhere":                               {nowhere, placement.Spec{}, nil, true},
		"nowhere, and leaves one":               {nowhere, placement.Spec{}, map[string]string{"b": "why"}, false},
		"leaves one when an update run does it": {somewhere, external, map[string]string{"b": "why"}, true},
	} {
		p := progress{known: true, generation: 1, settledContent: true, status: c.status, leaving: c.leaving}
		if got := p.isDone(rolloutChange{placement: engine.Placement{Spec: c.spec}}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestLeaving checks that the status lists the clusters that a placement leaves and that are not clean yet, with what blocks the removal.
func TestLeaving(t *testing.T) {
	work := func(member string, goes bool) metav1.ObjectMeta {
		out := metav1.ObjectMeta{Namespace: "fleet-member-" + member, Name: "web-work"}
		if goes {
			out.DeletionTimestamp = &metav1.Time{}
		}
		return out
	}
	works := []metav1.ObjectMeta{work("stays", false), work("waits", false), work("goes", false), work("goes", true)}
	got := unemptied(map[string]string{"waits": "too many", "goes": "too many", "clean": "too many"}, works)
	if len(got) != 2 || !strings.Contains(got["waits"], "max_unavailable") || !strings.Contains(got["goes"], "its agent") {
		t.Errorf("%+v", got)
	}
	hubs := placement.Status{Clusters: map[string]placement.ClusterStatus{"stays": {}}}
	result := progress{known: true, generation: 3, status: hubs, leaving: map[string]string{"waits": "why"}}.result(rolloutChange{}, true)
	if one := result.Status.Clusters["waits"]; len(result.Status.Clusters) != 2 || one.IsScheduled() || !one.HadObjects() ||
		one.Conditions[0].Message != "why" {
		t.Errorf("%+v", result.Status)
	}
	if len(hubs.Clusters) != 1 {
		t.Error("what the hub says has changed")
	}
}
