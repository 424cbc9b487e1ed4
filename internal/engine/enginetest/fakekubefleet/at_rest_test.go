package fakekubefleet

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// A Work of a paused agent does not count as applied: the agent applies it if it resumes before Rest ends.
func TestApplyOnceSkipsPausedAgents(t *testing.T) {
	t.Parallel()
	h := &Hub{paused: map[string]bool{"member-1": true}, agents: map[string]*memberAgent{"member-1": {}}}
	v := &view{works: []wire.Work{{ObjectMeta: metav1.ObjectMeta{Name: "web-work", Namespace: namespaceOf("member-1"), UID: "1"}}}}
	applied := map[string]bool{}
	if did, err := h.applyOnce(t.Context(), v, applied); did || err != nil || len(applied) > 0 {
		t.Errorf("the agent has applied %v: %t, %v", applied, did, err)
	}
}

// A namespaced placement and a cluster-scoped placement of the same name are independent.
func TestPlacementsOfSameName(t *testing.T) {
	t.Parallel()
	named := func(namespace string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: "web", Namespace: namespace} }
	bound := func(namespace string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Labels: map[string]string{wire.PlacementLabel: "web"}}
	}
	labels := map[string]string{wire.PlacementLabel: "web", wire.PlacementNamespaceLabel: "shop"}
	v := &view{
		placements: []wire.ClusterResourcePlacement{{ObjectMeta: named("")}, {ObjectMeta: named("shop")}},
		bindings:   []wire.ClusterResourceBinding{{ObjectMeta: bound("")}, {ObjectMeta: bound("shop")}},
		works:      []wire.Work{{ObjectMeta: bound(namespaceOf("member-1"))}, {ObjectMeta: metav1.ObjectMeta{Labels: labels}}},
	}
	v.keepOnly(engine.Reference{Name: "web"})
	if len(v.placements) != 1 || v.placements[0].Namespace != "" || len(v.bindings) != 1 || v.bindings[0].Namespace != "" || len(v.works) != 1 || v.works[0].Namespace == "" {
		t.Errorf("the view has %+v, %+v and %+v", v.placements, v.bindings, v.works)
	}
	h := &Hub{pace: map[engine.Reference]*pace{}}
	h.Abandon("shop/web")
	if h.isAbandoned(engine.Reference{Name: "web"}) || !h.isAbandoned(engine.Reference{Namespace: "shop", Name: "web"}) {
		t.Errorf("abandoned: %+v", h.pace)
	}
}
