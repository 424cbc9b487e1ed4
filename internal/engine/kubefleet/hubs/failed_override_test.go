package hubs

import (
	"context"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// An override that the hub cannot apply is reported once, as soon as the hub has tried it. The apply does not wait for it as for a pending override, and does
// not report that the hub is behind with it.
func TestFailedOverride(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	e := h.engine()
	e.SetPace(kubefleet.Pace{Pace: controlplane.Pace{Interval: 50 * time.Millisecond, Silence: kubefleet.DefaultPace.Silence}, Collect: time.Hour, Retry: time.Second})
	h.join(e)
	h.put(content("unfit"))
	o := greeting("unfit")
	o.Namespaced.Placement = &override.PlacementReference{Name: "unfit"}
	o.Namespaced.Policy.OverrideRules[0].JSONPatchOverrides[0].Path = "/spec/none/of/it"
	if _, err := e.ApplyOverride(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	h.Cleanup(func() { _ = h.engineAt(env.Kubeconfig).DeleteOverride(context.Background(), o) })
	p := placing("unfit")
	h.deleteAtEnd(p)
	limited, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	result, err := e.ApplyPlacement(limited, p, engine.ApplyOptions{Create: true, WaitUntilAvailable: true})
	if err != nil {
		t.Fatal(err)
	}
	if phase := result.Status.Clusters[memberName].Phase(); result.TimedOut || phase != placement.PhaseOverriddenFailed || len(result.Warnings) > 0 {
		t.Errorf("%s: %+v", phase, result)
	}
}
