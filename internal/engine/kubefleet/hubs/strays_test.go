package hubs

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// An apply removes fields of a spec that others have set and the configuration does not have. Labels of others remain.
func TestStrayFields(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.put(`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacement, metadata: {name: strays, labels: {team: theirs}}, spec: {
 resourceSelectors: [{group: "", version: v1, kind: Namespace, name: strays}], revisionHistoryLimit: 3, strategy: {applyStrategy: {whenToTakeOver: Never}},
 policy: {placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [
  {labelSelector: {matchLabels: {region: nowhere}}}]}}}}}}`)
	h.put(content("strays"))
	p := placing("strays")
	apply := func() {
		t.Helper()
		recorded, err := h.engine().ReadPlacement(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		wanted := p
		wanted.Prior = &recorded.Status
		if _, err := h.engine().ApplyPlacement(t.Context(), wanted, engine.ApplyOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	apply()
	stored := h.stored(fixture.ParseRef(placementAPI + "ClusterResourcePlacement strays"))
	read, err := h.engine().ReadPlacement(t.Context(), p)
	if err != nil || !p.Same(engine.Placement{Spec: read.Spec}) || stored.GetLabels()["team"] != "theirs" {
		t.Errorf("%+v, %v, %v", read.Spec, stored.Object, err)
	}
	if mode, _, _ := unstructured.NestedString(stored.Object, "spec", "strategy", "applyStrategy", "whenToTakeOver"); mode != string(placement.TakeOverAlways) {
		t.Errorf("%v", stored.Object)
	}
	h.Reset()
	apply()
	h.idle("nothing changes")
}

// If others have set a field that excludes a configured field, an apply removes the former and writes the latter.
func TestStrayFieldThatExcludes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHub(t)
	h.put(`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacementDisruptionBudget, metadata: {name: strays}, spec: {maxUnavailable: 1}}`)
	budget := engine.DisruptionBudget{Name: "strays", Spec: disruption.Budget{MinAvailable: "2"}}
	if _, err := h.engine().ApplyDisruptionBudget(t.Context(), budget, &budget); err != nil {
		t.Fatal(err)
	}
	stored := h.stored(fixture.ParseRef(strings.TrimSpace(placementAPI) + " ClusterResourcePlacementDisruptionBudget strays"))
	if _, kept, _ := unstructured.NestedFieldNoCopy(stored.Object, "spec", "maxUnavailable"); kept {
		t.Errorf("%v", stored.Object)
	}
}
