package kubefleet_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// secondOwned returns a hand-over whose giver was destroyed first, and whose taker's apply was killed as soon as the taker was on the hub. With
// allow_co_ownership, the taker's agent takes the objects over and keeps the temporary owner that the removal added.
func secondOwned(t *testing.T) *handOver {
	t.Helper()
	h := newHandOver(t, 1)
	h.web.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways, AllowCoOwnership: new(true)}
	web, _ := h.plan()
	h.removal(web)
	if _, err := h.bulk.Delete(h.Context(), h.Engine()); err != nil {
		t.Fatal(err)
	}
	h.interrupt(clusters.Fault{LoseResponse: true}, 1, true, func(ctx context.Context) error {
		_, err := h.web.Apply(ctx, h.Engine())
		return err
	})
	out := *h
	out.World = h.Another()
	out.web.Again, out.web.Expected = true, nil
	for _, object := range givenObjects {
		out.Eventually("the agent has taken over "+object, func() bool {
			return len(out.Must(out.Members[0], object).GetOwnerReferences()) == 2
		})
	}
	return &out
}

// The next apply of the taker removes the owner that a removed giver left, whether the configuration still names the giver or not.
func TestSecondOwnerOfRemovedGiver(t *testing.T) {
	t.Parallel()
	for name, named := range map[string]bool{"named in takes_over_from": true, "no longer named": false} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && named {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			h := secondOwned(t)
			if !named {
				h.web.TakesOverFrom = nil
			}
			preview, err := h.web.Preview(h.Context(), h.Engine())
			if err != nil || !preview.Pending() {
				t.Fatalf("the plan is not pending: %v, %+v", err, preview)
			}
			h.apply(&h.web)
			h.taken()
			preview, err = h.web.Preview(h.Context(), h.Engine())
			if err != nil || preview.Pending() {
				t.Errorf("the next plan is pending: %v, %+v", err, preview)
			}
		})
	}
}

// An apply does not remove the owner of another placement that continues to place the object.
func TestSecondOwnerOfOtherPlacement(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, 1)
	h.plan()
	h.apply(&h.web) // the Work of bulk still has the database
	member := h.Members[0]
	h.keepBy(h.bulk, "v1 ConfigMap $ns-db/db")
	h.web.TakesOverFrom, h.web.Expected = nil, nil
	h.web.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{AllowCoOwnership: new(true)}
	h.apply(&h.web)
	live := h.Must(member, "v1 ConfigMap $ns-db/db")
	if agent.HandedBy(live) != h.bulk.Name || len(live.GetOwnerReferences()) != 2 {
		t.Errorf("the apply removed the owner of %q: %v", h.bulk.Name, live.Object["metadata"])
	}
}

// keepBy gives an object the temporary owner that an interrupted removal of a placement leaves.
func (h *handOver) keepBy(giver enginetest.Request, object string) {
	h.Helper()
	live := h.Must(h.Members[0], object)
	namespace := h.Must(h.Members[0], "v1 Namespace "+live.GetNamespace())
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"annotations":     map[string]any{agent.HandedByAnnotation: giver.Name},
		"ownerReferences": append(live.GetOwnerReferences(), agent.Keeper(namespace)),
	}})
	if err != nil {
		h.Fatal(err)
	}
	h.Edit(h.Members[0], object, string(patch))
}
