package kubefleet_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// A hub rolls an override out in the same way as other content, one cluster after the other, and the plan shows this. A cluster that does not become
// available with the override blocks the others.
func TestOverrideIsRolledOut(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, app+"\n---\n{apiVersion: v1, kind: Service, metadata: {name: front, namespace: $ns-app}, spec: {ports: [{port: 80}]}}")
	e := w.Engine()
	patient := pace
	patient.Collect = time.Minute // enough time for the hub on a slow machine
	e.(*kubefleet.Engine).SetPace(patient)
	request := placing(w)
	request.Wait, request.Spec.Strategy = true, &placement.Strategy{RollingUpdate: &placement.RollingUpdate{MaxUnavailable: "1"}}
	w.DeleteAtEnd(request)
	result, err := request.Apply(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	available(t, w, result)

	balanced := engine.Override{
		Reference: override.Reference{Namespace: w.Expand("$ns-app"), Name: "balanced"},
		Namespaced: &override.Spec{
			Placement:         &override.PlacementReference{Name: w.Name},
			ResourceSelectors: []override.Selector{{Version: "v1", Kind: "Service", Name: "front"}},
			Policy: &override.Policy{OverrideRules: []override.Rule{{
				ClusterSelector:    &override.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{}},
				JSONPatchOverrides: []override.Patch{{Operation: "replace", Path: "/spec/type", Value: []byte(`"LoadBalancer"`)}},
			}}},
		},
	}
	again := request.After(result.Status)
	again.World.Overrides = map[override.Reference]engine.Planned[engine.Override]{balanced.Reference: {Want: &balanced}}
	preview, err := again.Preview(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(preview.OnHub().Rollout); got != "[[member-1] [member-2] [member-3]]" {
		t.Errorf("the predicted rollout is %s", got)
	}
	if warnsAboutOverride(preview) {
		t.Error("the preview warns about an override that names its placement")
	}
	unnamed := *balanced.Namespaced
	unnamed.Placement = nil
	again.World.Overrides[balanced.Reference] = engine.Planned[engine.Override]{Want: &engine.Override{Reference: balanced.Reference, Namespaced: &unnamed}}
	if preview, err = again.Preview(w.Context(), e); err != nil || !warnsAboutOverride(preview) {
		t.Errorf("the preview does not warn about an override that names no placement: %v, %v", preview, err)
	}

	again.World = engine.World{}
	if _, err := e.ApplyOverride(w.Context(), balanced, nil); err != nil {
		t.Fatal(err)
	}
	kind := func(member string) string {
		kind, _, _ := unstructured.NestedString(w.Must(member, "v1 Service $ns-app/front").Object, "spec", "type")
		return kind
	}
	// No load balancer becomes available.
	result, err = applyUntil(w, e, again, "the override is at the first member", func() bool { return kind(w.Members[0]) == "LoadBalancer" })
	if err != nil || !result.TimedOut {
		t.Errorf("it is not waited for: %+v, %v", result, err)
	}
	for i, want := range []string{"LoadBalancer", "ClusterIP", "ClusterIP"} {
		if got := kind(w.Members[i]); got != want {
			t.Errorf("the Service on %s is a %s", w.Members[i], got)
		}
	}
	if err := e.DeleteOverride(w.Context(), balanced); err != nil {
		t.Error(err)
	}
}

// warnsAboutOverride reports whether a preview warns about an override that the hub may not apply.
func warnsAboutOverride(preview *engine.Preview) bool {
	return slices.ContainsFunc(preview.Dangers, func(d engine.Danger) bool { return d.Title == "a change of an override may stay without effect" })
}
