package kubeadmiral_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// occupied is a world with two placements: the placement host has a Namespace, and the placement guest has an object in that Namespace.
type occupied struct {
	*enginetest.World
	t           *testing.T
	host, guest enginetest.Request
}

func newOccupied(t *testing.T) *occupied {
	t.Helper()
	o := &occupied{World: fleet.World(t, 3), t: t}
	o.host, o.guest = o.Placing("$ns-host", aNamespace, own), o.Placing("$ns-guest", theirs)
	o.DeleteAtEnd(o.guest)
	o.DeleteAtEnd(o.host)
	return o
}

func (o *occupied) apply() *occupied {
	o.t.Helper()
	for _, request := range []*enginetest.Request{&o.host, &o.guest} {
		*request = request.After(applied(o.t, o.World, *request).Status)
	}
	return o
}

// plan previews the removal of the host placement, and binds the removal to the preview. It returns the preview of the Namespace on the first member.
func (o *occupied) plan(fate engine.Fate) engine.ObjectPreview {
	o.t.Helper()
	o.host.Run = &enginetest.SameRun{Others: fate}
	preview := previewedRemoval(o.t, o.World, o.host)
	o.host.ExpectedRemoval = engine.Expect(preview)
	return object(o.t, preview, o.Members[0], "Namespace", o.Expand("$ns-in"))
}

// incomplete removes the host placement. It fails the test unless the removal returns an error with the given texts, and the Namespace and its record remain.
func (o *occupied) incomplete(ctx context.Context, texts ...string) {
	o.t.Helper()
	result, err := o.host.Delete(ctx, o.Engine())
	if err == nil || result == nil {
		o.t.Fatalf("the removal is complete: %+v %v", result, err)
	}
	o.Contains(err.Error(), texts...)
	wantPresent(o.t, o.World, inNamespace, everywhere(o.World)...)
	policy := o.Must(o.Env.Hub, "core.kubeadmiral.io/v1alpha1 ClusterPropagationPolicy "+o.host.Name)
	if record := policy.GetAnnotations()["fleet.terraform.io/objects"]; !strings.Contains(record, `"name":"`+o.Expand("$ns-in")+`"`) {
		o.t.Errorf("the record has %s", record)
	}
}

// complete fails the test if anything of the host placement remains.
func (o *occupied) complete() {
	o.t.Helper()
	gone(o.t, o.World, inNamespace, everywhere(o.World)...)
	gone(o.t, o.World, "core.kubeadmiral.io/v1alpha1 ClusterPropagationPolicy "+o.host.Name, o.Env.Hub)
}

// TestRemovalAwaitsAnother checks that the removal of a Namespace waits for the removal of another placement that has an object in it, whether or not the
// plan knew of that removal.
func TestRemovalAwaitsAnother(t *testing.T) {
	t.Parallel()
	for name, fate := range map[string]engine.Fate{"planned": engine.FatePlanned, "unknown": engine.FateUnknown} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOccupied(t).apply()
			planned := o.plan(fate)
			first, open := []string{o.guest.Name}, []string(nil)
			action, obstacle := takeover.ActionPrune, takeover.ObstacleNone
			if fate == engine.FateUnknown {
				first, open, action, obstacle = open, first, takeover.ActionDefer, takeover.ObstacleOccupied
			}
			if planned.Action != action || planned.Obstacle != obstacle || !slices.Equal(planned.Contents.First, first) || !slices.Equal(planned.Contents.Open, open) {
				t.Errorf("planned: %+v", planned)
			}
			run := &enginetest.SameRun{Others: fate}
			run.OnAwait = func(placements []string) bool {
				if !slices.Equal(placements, []string{o.guest.Name}) {
					t.Errorf("waits for %q", placements)
				}
				gone(t, o.World, ownIn, everywhere(o.World)...)
				wantPresent(t, o.World, inNamespace, everywhere(o.World)...)
				o.Delete(o.guest)
				run.Others = engine.FateRemoving
				return true
			}
			o.host.Run = run
			if result := o.Delete(o.host); len(result.Warnings) > 0 {
				t.Errorf("the removal warns: %q", result.Warnings)
			}
			o.complete()
		})
	}
}

// TestRemovalEndsItsWait checks that a removal whose wait for another placement ends returns an error, that the Namespace stays in the record, and that the
// next removal deletes it. If the next run keeps the other placement, its plan keeps the Namespace, and the removal completes.
func TestRemovalEndsItsWait(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for name, keeps := range map[string]bool{"removed": false, "kept": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOccupied(t).apply()
			o.plan(engine.FateUnknown)
			o.incomplete(o.Context(), o.Expand(`it contains objects of the placement "$ns-guest", which is not removed yet. Repeat the removal`))
			wantPresent(t, o.World, theirsIn, everywhere(o.World)...)
			if !keeps {
				o.Delete(o.guest)
				o.plan(engine.FateUnknown)
				o.Delete(o.host)
				o.complete()
				return
			}
			if planned := o.plan(engine.FateKept); planned.Action != takeover.ActionOrphan || planned.Obstacle != takeover.ObstacleContents {
				t.Errorf("planned: %+v", planned)
			}
			o.host.Run = &enginetest.SameRun{Others: engine.FateUnknown, OnAwait: func([]string) bool {
				t.Error("the removal waits")
				return false
			}}
			o.Contains(strings.Join(o.Delete(o.host).Warnings, "\n"), o.Expand("Namespace $ns-in stays"))
			wantPresent(t, o.World, theirsIn, everywhere(o.World)...)
		})
	}
}

// TestReplacedNamespaceOfOthers checks that the plan of a replacement returns an error if the removal of the replaced placement keeps the Namespace, because
// the new placement could not write it.
func TestReplacedNamespaceOfOthers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	o := newOccupied(t).apply()
	before := engine.Placement{Reference: engine.Reference{Name: o.host.Name}, Spec: o.host.Spec, Manifests: o.host.Manifests}
	for fate, fails := range map[engine.Fate]bool{engine.FateKept: true, engine.FatePlanned: false} {
		_, err := o.Engine().Preview(o.Context(), before, engine.PreviewOptions{Replaces: &before, Run: &enginetest.SameRun{Others: fate}})
		if (err != nil) != fails {
			t.Errorf("fate %d: %v", fate, err)
		}
		if err != nil {
			o.Contains(err.Error(), o.Expand("Namespace $ns-in: the placement is replaced, and its removal keeps it on the host"), "terraform untaint")
		}
	}
}

// TestRemovalOfAnotherFails checks that a removal returns an error if the removal of the other placement has begun and leaves its object on the clusters.
func TestRemovalOfAnotherFails(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	o := newOccupied(t).apply()
	o.plan(engine.FatePlanned)
	waits := 0
	run := &enginetest.SameRun{Others: engine.FateRemoving}
	run.OnAwait = func([]string) bool {
		run.Others = engine.FateUnknown // the other removal has failed
		waits++
		return waits == 1
	}
	o.host.Run = run
	o.incomplete(o.Context(), o.Expand(`objects of the placement "$ns-guest"`))
	if waits != 2 {
		t.Errorf("the removal has waited %d times", waits)
	}
	o.Delete(o.guest)
	o.plan(engine.FateRemoving)
	o.Delete(o.host)
	o.complete()
}

// TestRemovalOfWhatRemains checks that a plan does not count objects as deleted that the other placement leaves on a member: objects that it has taken over,
// and all of its objects if it abandons them.
func TestRemovalOfWhatRemains(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for name, abandons := range map[string]bool{"adopted": false, "abandoned": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOccupied(t)
			o.guest.Spec.Strategy = &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways}}
			if abandons {
				o.guest.Spec.Strategy.DeleteStrategy = &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}
			} else {
				o.host = o.host.After(applied(t, o.World, o.host).Status)
				o.Put(o.Members[1], theirs)
			}
			o.apply()
			planned := o.plan(engine.FatePlanned)
			if planned.Action != takeover.ActionOrphan {
				t.Errorf("planned: %+v", planned)
			}
			o.Contains(planned.Problem, o.Expand("ConfigMap $ns-in/theirs"))
			o.host.Run = &enginetest.SameRun{Others: engine.FatePlanned}
			o.Contains(strings.Join(o.Delete(o.host).Warnings, "\n"), o.Expand("Namespace $ns-in stays"))
			o.Delete(o.guest)
			wantPresent(t, o.World, theirsIn, o.Members[1])
		})
	}
}

// TestRemovalKilledWhileItWaits checks that the next removal completes a removal that was killed after any of its writes, or while it waited.
func TestRemovalKilledWhileItWaits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	o := newOccupied(t).apply()
	for write := int32(1); ; write++ {
		o.plan(engine.FatePlanned)
		ctx, kill := context.WithCancel(o.Context())
		var writes atomic.Int32
		killed := o.Another()
		undo := killed.Inject(clusters.Fault{
			Match: func(r clusters.Request) bool { return r.Method != http.MethodGet && writes.Add(1) == write },
			Then:  func(clusters.Request) { kill() },
		})
		waited := false
		o.host.Run = &enginetest.SameRun{Others: engine.FateRemoving, OnAwait: func([]string) bool {
			waited = true
			kill()
			return false
		}}
		_, err := o.host.Delete(ctx, killed.Engine())
		undo()
		kill()
		if err == nil {
			t.Fatalf("the removal is complete after write %d", write)
		}
		wantPresent(t, o.World, inNamespace, everywhere(o.World)...)
		wantPresent(t, o.World, theirsIn, everywhere(o.World)...)
		if waited {
			break
		}
	}
	o.Delete(o.guest)
	o.plan(engine.FateUnknown)
	o.Delete(o.host)
	o.complete()
}

// TestRemovalWaitsInAnOutage checks that a Namespace stays in the record if a member is unreachable when the other placement is removed.
func TestRemovalWaitsInAnOutage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	o := newOccupied(t).apply()
	o.plan(engine.FatePlanned)
	undo := func() {}
	o.host.Run = &enginetest.SameRun{Others: engine.FateRemoving, OnAwait: func([]string) bool {
		o.Delete(o.guest)
		undo = o.Inject(clusters.Fault{Context: o.Members[1], Refuse: true})
		return true
	}}
	result, err := o.host.Delete(o.Context(), o.Engine())
	undo()
	if err == nil || result == nil {
		t.Fatalf("the removal is complete: %v", err)
	}
	o.Contains(err.Error(), o.Expand("Namespace $ns-in"), o.Members[1]+" could not be checked")
	wantPresent(t, o.World, inNamespace, everywhere(o.World)...)
	o.plan(engine.FateUnknown)
	o.Delete(o.host)
	o.complete()
}

// TestRemovalLosesAnswers checks that a removal completes even if the host carries out its deletions but the responses are lost.
func TestRemovalLosesAnswers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	o := newOccupied(t).apply()
	o.plan(engine.FatePlanned)
	o.host.Run = &enginetest.SameRun{Others: engine.FateRemoving, OnAwait: func([]string) bool {
		o.Delete(o.guest)
		return true
	}}
	lost := map[string]bool{}
	defer o.Inject(clusters.Fault{
		Context: o.Env.Hub,
		Match: func(r clusters.Request) bool {
			first := r.Method == http.MethodDelete && !lost[r.Path]
			lost[r.Path] = lost[r.Path] || first
			return first
		},
		LoseResponse: true,
	})()
	o.Delete(o.host)
	o.complete()
	if len(lost) < 3 { // three for this placement (ConfigMap, Namespace, policy), and those for the other placement
		t.Errorf("lost %v", lost)
	}
}

// TestRemovalAwaitsNamespacedPlacement checks that the removal of a Namespace waits for a namespaced placement, whose policy is in the Namespace.
func TestRemovalAwaitsNamespacedPlacement(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	o := newOccupied(t)
	o.host = o.host.After(applied(t, o.World, o.host).Status)
	guest := engine.Placement{
		Reference: engine.Reference{Namespace: o.Expand("$ns-in"), Name: "guest"}, Manifests: o.Manifests(theirs), Key: engine.Key("the key of the tests"),
	}
	result, err := o.Engine().ApplyPlacement(o.Context(), guest, engine.ApplyOptions{Create: true})
	if err != nil || result.TimedOut {
		t.Fatalf("%+v %v", result, err)
	}
	guest.Prior = &result.Status
	wantPresent(t, o.World, theirsIn, everywhere(o.World)...)
	planned := o.plan(engine.FatePlanned)
	if planned.Action != takeover.ActionPrune || !slices.Equal(planned.Contents.First, []string{guest.Reference.String()}) {
		t.Errorf("planned: %+v", planned)
	}
	o.host.Run = &enginetest.SameRun{Others: engine.FateRemoving, OnAwait: func([]string) bool {
		if _, err := o.Engine().DeletePlacement(o.Context(), guest, engine.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		return true
	}}
	if result := o.Delete(o.host); len(result.Warnings) > 0 {
		t.Errorf("the removal warns: %q", result.Warnings)
	}
	o.complete()
	if kind := v1alpha1.PropagationPolicyKind; o.Find(o.Env.Hub, "core.kubeadmiral.io/v1alpha1 "+kind+" $ns-in/guest") != nil {
		t.Error("the policy remains")
	}
}
