package kubefleet_test

import (
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestRemovalTogether checks that the removals of a placement with a Namespace and of another one with an object in it leave nothing on the members, in each
// order: the agents delete the Namespace with all its contents, and the plan shows that.
func TestRemovalTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	for _, order := range []string{"the Namespace first", "the object first", "both in parallel"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			w := fleet.World(t, 3)
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}\n---\n"+settings)
			e := w.Engine()
			host := enginetest.Request{Name: w.Name, Wait: true, Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{
				{Version: "v1", Kind: "Namespace", Name: w.Name, SelectionScope: placement.NamespaceOnly},
			}}}
			host = host.After(w.Apply(host).Status)
			guest := engine.Placement{
				Reference: engine.Reference{Namespace: w.Name, Name: w.Name},
				Spec:      placement.Spec{ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "ConfigMap", Name: "settings"}}},
			}
			result, err := e.ApplyPlacement(w.Context(), guest, engine.ApplyOptions{Create: true, WaitUntilAvailable: true})
			if err != nil {
				t.Fatal(err)
			}
			available(t, w, result)
			guest.Prior = &result.Status

			run := &enginetest.SameRun{Others: engine.FatePlanned}
			host.Run = run
			preview, err := host.PreviewDelete(w.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range preview.Clusters {
				if len(c.Objects) != 1 || !strings.Contains(c.Objects[0].Contents.Names(), "settings") {
					t.Errorf("planned on %s: %+v", c.Name, c.Objects)
				}
			}
			host.ExpectedRemoval = engine.Expect(preview)
			planned, err := e.PreviewDelete(w.Context(), guest, engine.DeleteOptions{Run: run})
			if err != nil {
				t.Fatal(err)
			}
			run.Others = engine.FateRemoving
			removeHost := func() error {
				_, err := host.Delete(w.Context(), w.Engine())
				return err
			}
			removeGuest := func() error {
				_, err := w.Engine().DeletePlacement(w.Context(), guest, engine.DeleteOptions{Expected: engine.Expect(planned), Run: run})
				return err
			}
			var group errgroup.Group
			switch order {
			case "the Namespace first":
				group.SetLimit(1)
				group.Go(removeHost)
				group.Go(removeGuest)
			case "the object first":
				group.SetLimit(1)
				group.Go(removeGuest)
				group.Go(removeHost)
			default:
				group.Go(removeHost)
				group.Go(removeGuest)
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
			for _, member := range w.Members {
				w.AwaitGone(member, "v1 Namespace "+w.Name)
			}
		})
	}
}
