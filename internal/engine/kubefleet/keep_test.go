package kubefleet_test

import (
	"context"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestAbandon checks AbandonObjects: when the placement is destroyed, its objects remain without any reference to it, whether it created them or took them
// over. The plan shows this.
func TestAbandon(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, app)
	w.Put(w.Members[0], app)
	e := w.Engine()
	p := placing(w)
	p.Wait = true
	p.Spec.Strategy = &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}}
	preview, err := p.Preview(w.Context(), e)
	if err != nil || !preview.OnHub().KeepsAdopted {
		t.Fatalf("%+v, %v", preview, err)
	}
	result, err := p.Apply(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	available(t, w, result)
	p = p.After(result.Status)
	objects := []string{"v1 Namespace $ns-app", "v1 ConfigMap $ns-app/settings"}
	uids := map[string]string{}
	for _, member := range w.Members {
		for _, object := range objects {
			live := w.Must(member, object)
			if len(live.GetOwnerReferences()) != 1 {
				t.Errorf("%s on %s has the owners %v", object, member, live.GetOwnerReferences())
			}
			uids[member+object] = string(live.GetUID())
		}
	}

	removal, err := p.PreviewDelete(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range w.Members {
		if got, want := does(removal, member), w.Expand("orphan ConfigMap $ns-app/settings, orphan Namespace $ns-app"); got != want {
			t.Errorf("predicted on %s: %q, want %q", member, got, want)
		}
	}
	if _, err := p.Delete(w.Context(), e); err != nil {
		t.Fatal(err)
	}
	for _, member := range w.Members {
		for _, object := range objects {
			live := w.Must(member, object)
			if string(live.GetUID()) != uids[member+object] || live.GetDeletionTimestamp() != nil || len(live.GetOwnerReferences()) > 0 || agent.KeptBy(live) != "" {
				t.Errorf("%s on %s is %v", object, member, live.Object["metadata"])
			}
		}
	}
}

// If a destroy with AbandonObjects is killed before it deletes the placement, and the configuration keeps the placement, the next apply removes the temporary
// owners. Otherwise the agents would not apply the objects any more.
func TestInterruptedAbandonIsReverted(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, app)
	p := selecting(w, "app", "$ns-app")
	p.Spec.Strategy.DeleteStrategy = &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}
	result := w.Apply(p)
	p = p.After(result.Status)
	w.DeleteAtEnd(p)
	objects := []string{"v1 Namespace $ns-app", "v1 ConfigMap $ns-app/settings"}
	(&handOver{World: w}).interrupt(clusters.Fault{LoseResponse: true}, len(objects), true, func(ctx context.Context) error {
		_, err := p.Delete(ctx, w.Engine())
		return err
	})
	again := w.Another()
	for _, object := range objects {
		if owners := again.Must(again.Members[0], object).GetOwnerReferences(); len(owners) != 2 {
			t.Fatalf("%s has the owners %v after the interruption", object, owners)
		}
	}
	preview, err := p.Preview(again.Context(), again.Engine())
	if err != nil || !preview.Pending() {
		t.Fatalf("the plan is not pending: %v, %+v", err, preview)
	}
	p = p.After(again.Apply(p).Status)
	for _, object := range objects {
		live := again.Must(again.Members[0], object)
		if len(live.GetOwnerReferences()) != 1 || agent.KeptBy(live) != "" {
			t.Errorf("%s is %v", object, live.Object["metadata"])
		}
	}
	again.Eventually("nothing is left to do", func() bool {
		preview, err := p.Preview(again.Context(), again.Engine())
		return err == nil && !preview.Pending()
	})
}

// The removal deletes nothing if the engine has no connection to one of the members, because it cannot keep the objects there.
func TestAbandonWithoutAConnection(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, app)
	p := placing(w)
	p.Wait = true
	p.Spec.Strategy = &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}}
	result := w.Apply(p)
	w.DeleteAtEnd(placing(w).After(result.Status))
	connected := w.Fleet.Connect(w.Members[:2], enginetest.Access{Kubeconfig: w.Env.Kubeconfig})
	t.Cleanup(connected.Close)
	_, err := p.After(result.Status).Delete(w.Context(), w.Fleet.Subject.New(connected))
	if err == nil || !strings.Contains(err.Error(), w.Members[2]) || !strings.Contains(err.Error(), "nothing was deleted") {
		t.Errorf("%v", err)
	}
	for _, member := range w.Members {
		if owners := w.Must(member, "v1 ConfigMap $ns-app/settings").GetOwnerReferences(); len(owners) != 1 {
			t.Errorf("on %s it has the owners %v", member, owners)
		}
	}
}
