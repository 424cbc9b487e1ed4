package kubefleet_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// app is a Namespace with an object in it.
const app = `{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app, labels: {app: $ns}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, data: {greeting: hello}}`

// placing returns a request for the app on all members.
func placing(w *enginetest.World) enginetest.Request {
	return enginetest.Request{Name: w.Name, Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{
		{Version: "v1", Kind: "Namespace", Name: w.Expand("$ns-app")},
	}}}
}

// placed puts the app onto the hub and places it on all members at the same time, until the end of the test.
func placed(t *testing.T, w *enginetest.World) (enginetest.Request, *engine.Result) {
	t.Helper()
	w.Put(w.Env.Hub, app)
	request := placing(w)
	request.Wait, request.Spec.Strategy = true, &placement.Strategy{RollingUpdate: &placement.RollingUpdate{MaxUnavailable: "100%"}}
	w.DeleteAtEnd(request)
	result, err := request.Apply(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	available(t, w, result)
	return request, result
}

func available(t *testing.T, w *enginetest.World, result *engine.Result) {
	t.Helper()
	if result.TimedOut || !result.Status.Is(placement.Available) {
		t.Errorf("the placement is not available: %+v\nerrors of the agents: %v", result, lastError())
	}
}

// A placement reaches all members, reads as it was written, and is deleted with all its objects.
func TestPlacement(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, app)
	e := w.Engine()
	request := placing(w)
	request.Wait = true
	preview, err := request.Preview(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if !preview.Pending() || len(preview.Clusters) != 3 {
		t.Errorf("predicted: %+v", preview)
	}
	result, err := request.Apply(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	available(t, w, result)
	for _, member := range w.Members {
		w.Must(member, "v1 ConfigMap $ns-app/settings")
	}
	again := request.After(result.Status)
	read, err := again.Read(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Spec; len(got.ResourceSelectors) != 1 || got.Policy != nil || got.Strategy != nil {
		t.Errorf("read back: %+v", got)
	}
	if _, err := again.Delete(w.Context(), e); err != nil {
		t.Fatal(err)
	}
	for _, member := range w.Members {
		if w.Find(member, "v1 Namespace $ns-app") != nil {
			t.Errorf("the namespace is still on %s", member)
		}
	}
}

// Objects that an agent has taken over for a report are deleted with the placement, although no AppliedWork lists them. The plan of the removal shows these
// deletions. With Never, nothing is taken over or deleted.
func TestRemovalAfterReport(t *testing.T) {
	t.Parallel()
	for when, gone := range map[placement.WhenToTakeOver]bool{placement.TakeOverAlways: true, placement.TakeOverNever: false} {
		t.Run(string(when), func(t *testing.T) {
			if !gone && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 1)
			w.Put(w.Env.Hub, app)
			w.Put(w.Members[0], app)
			e := w.Engine()
			request := placing(w).Strategy(placement.ApplyStrategy{Type: placement.ReportDiff, WhenToTakeOver: when})
			request.Wait = true
			result, err := request.Apply(w.Context(), e)
			if err != nil || result.TimedOut {
				t.Fatalf("%+v %v", result, err)
			}
			again := request.After(result.Status)
			preview, err := again.PreviewDelete(w.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			var pruned []string
			for _, cluster := range preview.Clusters {
				for _, o := range cluster.Objects {
					if o.Action == takeover.ActionPrune {
						pruned = append(pruned, o.Kind)
					}
				}
			}
			slices.Sort(pruned)
			var want []string
			if gone {
				want = []string{"ConfigMap", "Namespace"}
			}
			if !slices.Equal(pruned, want) {
				t.Errorf("predicted to be deleted: %v, want %v", pruned, want)
			}
			if _, err := again.Delete(w.Context(), e); err != nil {
				t.Fatal(err)
			}
			if left := w.Find(w.Members[0], "v1 ConfigMap $ns-app/settings") != nil; left == gone {
				t.Errorf("the object is left: %t, predicted to be deleted: %t", left, gone)
			}
		})
	}
}

// An apply with conflicts ends immediately, because a retry does not take the objects over. An apply waits for an object that an API server rejects only if
// the plan could not show the rejection.
func TestConflictsAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	const (
		theirs = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app, labels: {app: $ns}}}\n---\n" +
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, data: {greeting: hi}%s}"
		patient = 4 * time.Second
		forever = time.Hour // an apply that waited so long would fail
	)
	for name, c := range map[string]struct {
		when placement.WhenToTakeOver
		more string
		// unseen reports that the provider has no connection to the member.
		unseen, waits bool
	}{
		"left alone": {when: placement.TakeOverNever},
		"differs":    {when: placement.TakeOverIfNoDiff},
		"refused":    {when: placement.TakeOverAlways, more: ", immutable: true"},
		"unseen":     {when: placement.TakeOverAlways, more: ", immutable: true", unseen: true, waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "differs" && name != "refused" && testing.Short() { // TestHopeless has the others
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 1)
			w.Put(w.Env.Hub, app)
			w.Put(w.Members[0], fmt.Sprintf(theirs, c.more))
			request := placing(w).Strategy(placement.ApplyStrategy{WhenToTakeOver: c.when})
			request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
			w.DeleteAtEnd(request)
			members := w.Members
			if c.unseen {
				members = nil
			}
			clients := w.Fleet.Connect(members, enginetest.Access{Kubeconfig: w.Env.Kubeconfig})
			w.Cleanup(clients.Close)
			e := w.Fleet.Subject.New(clients).(*kubefleet.Engine)
			patiently := pace
			if patiently.Retry = forever; c.waits {
				patiently.Retry = max(patient, pace.Retry)
			}
			e.SetPace(patiently)
			failing := time.Time{}
			result, err := e.ApplyPlacement(w.Context(), engine.Placement{Reference: engine.Reference{Name: request.Name}, Spec: request.Spec}, engine.ApplyOptions{
				Create: true, WaitUntilAvailable: true,
				Progress: func(string, map[string]any) { failing = time.Now() },
			})
			if err != nil || result.TimedOut || !slices.ContainsFunc(result.Objects, func(o engine.ObjectResult) bool { return o.Failure != nil }) {
				t.Fatalf("%+v, %v", result, err)
			}
			if waited := time.Since(failing); c.waits && waited < patiently.Retry {
				t.Errorf("the apply ended %s after the last change", waited)
			}
		})
	}
}

// An apply succeeds although another client changes the placement between the reads and the writes of the apply, as a hub's agent does.
func TestChangeMeanwhile(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, app)
	e := w.Engine()
	request := placing(w)
	w.DeleteAtEnd(request)
	result, err := request.Apply(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	other := w.Connect(enginetest.Access{}).Hub
	w.Inject(clusters.Fault{
		Match: func(r clusters.Request) bool {
			return r.Method == http.MethodPatch && strings.Contains(r.Path, request.Name)
		}, Times: 2,
		Hook: func(r clusters.Request) {
			ref := kube.Ref{GVK: hub.ClusterPlacement.WithVersion("v1beta1"), Name: request.Name}
			change := []byte(`{"metadata":{"annotations":{"example.com/changed":"` + time.Now().String() + `"}}}`)
			if _, err := other.Patch(w.Context(), ref, types.MergePatchType, change, kube.WriteOptions{}); err != nil {
				t.Error(err)
			}
		},
	})
	again := request.After(result.Status)
	again.Spec.RevisionHistoryLimit = new(int32(7))
	if _, err := again.Apply(w.Context(), e); err != nil {
		t.Error(err)
	}
}
