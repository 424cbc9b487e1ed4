package kubefleet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestRemovalHandsOverCustomResource checks an agent that applies client-side and allows co-owners. Such an agent removes the temporary owner of a custom
// resource, which the removal of the placement needs to keep the object. The plan of the removal returns an error that says what to change first. A change of
// the placement needs no temporary owner.
//
// The test does not run in parallel, because some tests list objects of all kinds that a cluster serves.
func TestRemovalHandsOverCustomResource(t *testing.T) {
	w := fleet.World(t, 1)
	kind := w.Expand("$ns.example.org/v1") + " Gadget"
	for _, cluster := range []string{w.Env.Hub, w.Members[0]} {
		w.Put(cluster, enginetest.Gadgets)
		w.AwaitKinds(cluster, kind)
	}
	if agents == nil {
		t.Skip("a real hub takes long to find the kind")
	}
	agents.Rediscover()
	w.Put(w.Env.Hub, app+"\n---\n"+enginetest.Gadget)
	bulk, web := selecting(w, "bulk", "$ns-app"), selecting(w, "web", "$ns-app")
	w.DeleteAtEnd(bulk)
	bulk.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{AllowCoOwnership: new(true)}
	bulk = bulk.After(w.ApplyBy(w.Past(), bulk).Status)
	web.TakesOverFrom = []engine.Giver{{Name: bulk.Name}}
	preview, err := web.Preview(w.Context(), w.Engine())
	if err != nil || !strings.Contains(does(preview, w.Members[0]), "take_over_from Gadget") {
		t.Fatalf("the plan of web shows %q (%v)", does(preview, w.Members[0]), err)
	}
	bulk.Takers = engine.Takers{engine.NewTaker(web.Name, web.TakesOverFrom[0], preview)}
	_, err = bulk.PreviewDelete(w.Context(), w.Engine())
	if _, is := errors.AsType[*engine.HandOverError](err); !is || !strings.Contains(err.Error(), w.Expand("Gadget")) || !strings.Contains(err.Error(), "allow_co_ownership") {
		t.Errorf("the plan of the removal: %v", err)
	}
	changed := bulk
	changed.Spec.ResourceSelectors = selecting(w, "bulk", "$ns-other").Spec.ResourceSelectors
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-other}}")
	if _, err := changed.Preview(w.Context(), w.Engine()); err != nil {
		t.Errorf("the plan of a change: %v", err)
	}

	takers := bulk.Takers
	bulk.Takers, bulk.Spec.Strategy.ApplyStrategy = nil, &placement.ApplyStrategy{AllowCoOwnership: new(true), Type: placement.ServerSideApply}
	bulk = bulk.After(w.ApplyBy(w.Past(), bulk).Status)
	bulk.Takers = takers
	removal, err := bulk.PreviewDelete(w.Context(), w.Engine())
	if err != nil || !strings.Contains(does(removal, w.Members[0]), "hand_over Gadget") {
		t.Errorf("after the apply with ServerSideApply, the plan of the removal shows %q (%v)", does(removal, w.Members[0]), err)
	}
}
