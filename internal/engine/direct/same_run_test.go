package direct_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// occupyNamespace applies a placement with a Namespace, and another placement with an object in it.
func occupyNamespace(t *testing.T) (w *world, host, guest enginetest.Request) {
	t.Helper()
	w = newWorld(t)
	host, guest = w.newRequest("house", house, furniture), w.newRequest("guests", visitor)
	for _, request := range []*enginetest.Request{&host, &guest} {
		result := w.Apply(*request)
		w.checkComplete(result.Status)
		*request = request.After(result.Status)
	}
	return w, host, guest
}

// planRemoval returns the preview of the host's Namespace on member-1, and the request of a removal whose approved plan is the preview of the whole removal.
// fate is what the run does with other placements.
func (w *world) planRemoval(host enginetest.Request, fate engine.Fate) (engine.ObjectPreview, enginetest.Request) {
	w.Helper()
	host.Run = &enginetest.SameRun{Others: fate}
	preview, err := host.PreviewDelete(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	host.ExpectedRemoval = engine.Expect(preview)
	return previewOf(preview, "member-1", w.Expand("$ns-house")), host
}

// TestRemovalAwaitsAnother checks that the removal of a Namespace waits for the removal of another placement that has an object in it, whether the plan
// knew that the run removes that placement or not.
func TestRemovalAwaitsAnother(t *testing.T) {
	t.Parallel()
	for name, fate := range map[string]engine.Fate{"planned": engine.FatePlanned, "unknown": engine.FateUnknown} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, host, guest := occupyNamespace(t)
			o, host := w.planRemoval(host, fate)
			first, open := []string{guest.Name}, []string(nil)
			action, obstacle := takeover.ActionPrune, takeover.ObstacleNone
			if fate == engine.FateUnknown {
				first, open, action, obstacle = open, first, takeover.ActionDefer, takeover.ObstacleOccupied
			}
			if o.Action != action || o.Obstacle != obstacle || !slices.Equal(o.Contents.First, first) || !slices.Equal(o.Contents.Open, open) {
				t.Errorf("planned: %+v", o)
			}
			run := &enginetest.SameRun{Others: fate}
			run.OnAwait = func(placements []string) bool {
				if !slices.Equal(placements, []string{guest.Name}) {
					t.Errorf("waits for %q", placements)
				}
				if w.Find("member-1", "v1 ConfigMap $ns-house/own") != nil {
					t.Error("the removal waits before it has deleted its own objects")
				}
				w.Must("member-1", theHouse)
				w.Delete(guest)
				run.Others = engine.FateRemoving
				return true
			}
			host.Run = run
			if result := w.Delete(host); len(result.Warnings) > 0 {
				t.Errorf("the removal warns: %q", result.Warnings)
			}
			for _, member := range []string{"member-1", "member-2"} {
				if w.Find(member, theHouse) != nil || w.inventory(member, "house") != nil {
					t.Errorf("%s has the Namespace or the record", member)
				}
			}
		})
	}
}

// TestRemovalEndsItsWait checks that a removal returns an error if it ends its wait for another placement, that the Namespace stays in the record, and that the
// next removal deletes it.
func TestRemovalEndsItsWait(t *testing.T) {
	t.Parallel()
	w, host, guest := occupyNamespace(t)
	_, host = w.planRemoval(host, engine.FateUnknown)
	_, err := host.Delete(t.Context(), w.Engine())
	if err == nil {
		t.Fatal("the removal is complete")
	}
	w.Contains(err.Error(), w.Expand(`contains objects of the placement "$ns-guests"`), "Repeat the removal")
	if u := w.Must("member-1", theHouse); u.GetDeletionTimestamp() != nil || u.GetLabels()[partOf] == "" {
		t.Errorf("the Namespace is %v", u)
	}
	if got := w.inventory("member-1", "house"); got["Namespace "+w.Expand("$ns-house")].UID == "" {
		t.Errorf("the record has %+v", got)
	}
	w.Delete(guest)
	_, host = w.planRemoval(host, engine.FateUnknown)
	w.Delete(host)
	w.AwaitGone("member-1", theHouse)
}

// TestRemovalByAnotherRun checks that a removal completes if another run removes the other placement during the wait.
func TestRemovalByAnotherRun(t *testing.T) {
	t.Parallel()
	w, host, guest := occupyNamespace(t)
	_, host = w.planRemoval(host, engine.FateUnknown)
	host.Run = &enginetest.SameRun{Others: engine.FateUnknown, OnAwait: func([]string) bool {
		w.Delete(guest)
		return false
	}}
	w.Delete(host)
	w.AwaitGone("member-1", theHouse)
}

// TestRemovalOfEachOther checks that another placement whose removal has begun prevents the deletion of a Namespace only while its objects exist, even if its
// record still lists them. Otherwise, two placements with objects in each other's Namespaces would wait for each other.
func TestRemovalOfEachOther(t *testing.T) {
	t.Parallel()
	w, host, guest := occupyNamespace(t)
	_, host = w.planRemoval(host, engine.FatePlanned)
	host.Run = &enginetest.SameRun{Others: engine.FateRemoving}
	_, err := host.Delete(t.Context(), w.Engine())
	if err == nil {
		t.Fatal("the Namespace is deleted with an object of the other placement")
	}
	w.Contains(err.Error(), w.Expand(`contains objects of the placement "$ns-guests"`))
	for _, member := range []string{"member-1", "member-2"} {
		w.Remove(member, theVisitor)
	}
	w.Delete(host)
	w.AwaitGone("member-1", theHouse)
	if w.inventory("member-1", "guests") == nil {
		t.Error("the other placement has no record")
	}
	w.Delete(guest)
}

// TestRemovalOfKeptPlacement checks that a Namespace is orphaned, as the plan shows, if it contains objects of a placement that the run keeps.
func TestRemovalOfKeptPlacement(t *testing.T) {
	t.Parallel()
	w, host, guest := occupyNamespace(t)
	o, host := w.planRemoval(host, engine.FateKept)
	if o.Action != takeover.ActionOrphan || o.Obstacle != takeover.ObstacleContents {
		t.Errorf("planned: %+v", o)
	}
	host.Run = &enginetest.SameRun{Others: engine.FateUnknown, OnAwait: func([]string) bool {
		t.Error("the removal waits")
		return false
	}}
	result := w.Delete(host)
	w.Contains(strings.Join(result.Warnings, "\n"), w.Expand("Namespace $ns-house stays"), w.Expand(`"$ns-guests"`))
	w.Delete(guest)
}

// TestRemovalOfUncheckedCluster checks that a Namespace that must remain on a cluster stays in the record if the plan did not check the cluster.
func TestRemovalOfUncheckedCluster(t *testing.T) {
	t.Parallel()
	w, host, guest := occupyNamespace(t)
	undo := w.Inject(clusters.Fault{Context: "member-1", Status: http.StatusServiceUnavailable})
	_, host = w.planRemoval(host, engine.FateKept)
	undo()
	_, err := host.Delete(t.Context(), w.Engine())
	if err == nil {
		t.Fatal("the removal is complete")
	}
	w.Contains(err.Error(), w.Expand("Namespace $ns-house"), "did not check the cluster")
	if got := w.inventory("member-1", "house"); got["Namespace "+w.Expand("$ns-house")].UID == "" {
		t.Errorf("the record has %+v", got)
	}
	w.Delete(guest)
	_, host = w.planRemoval(host, engine.FateKept)
	w.Delete(host)
	w.AwaitGone("member-1", theHouse)
}

// TestRemovalOfWhatRemains checks that a plan keeps a Namespace because of objects that the removal of the other placement does not delete: objects that it has
// taken over, and all of its objects if it abandons them.
func TestRemovalOfWhatRemains(t *testing.T) {
	t.Parallel()
	for name, abandons := range map[string]bool{"adopted": false, "abandoned": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			host, guest := w.newRequest("house", house, furniture), strategy(w.newRequest("guests", visitor), placement.ClientSideApply, placement.TakeOverAlways)
			host = host.After(w.Apply(host).Status)
			if abandons {
				guest.Spec.Strategy.DeleteStrategy = &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}
			} else {
				for _, member := range []string{"member-1", "member-2"} {
					w.Put(member, visitor)
				}
			}
			guest = guest.After(w.Apply(guest).Status)
			o, host := w.planRemoval(host, engine.FatePlanned)
			if o.Action != takeover.ActionOrphan {
				t.Errorf("planned: %+v", o)
			}
			w.Contains(o.Problem, w.Expand("ConfigMap $ns-house/visitor"))
			w.Delete(guest)
			w.Delete(host)
			w.Must("member-1", theHouse)
			w.Must("member-1", theVisitor)
		})
	}
}

// TestRemovalThatNoPlanShowed checks that a removal without a plan keeps a Namespace with an object in it that the other placement leaves on the cluster.
func TestRemovalThatNoPlanShowed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	host, guest := w.newRequest("house", house, furniture), strategy(w.newRequest("guests", visitor), placement.ClientSideApply, placement.TakeOverAlways)
	host = host.After(w.Apply(host).Status)
	for _, member := range []string{"member-1", "member-2"} {
		w.Put(member, visitor)
	}
	guest = guest.After(w.Apply(guest).Status)
	run := &enginetest.SameRun{Others: engine.FateRemoving}
	run.OnAwait = func([]string) bool {
		w.Delete(guest)
		return true
	}
	host.Run = run
	result := w.Delete(host)
	w.Contains(strings.Join(result.Warnings, "\n"), w.Expand("Namespace $ns-house stays"), w.Expand("ConfigMap $ns-house/visitor"))
	if w.Must("member-1", theHouse).GetDeletionTimestamp() != nil {
		t.Error("the Namespace is deleted with an object that was there before")
	}
}
