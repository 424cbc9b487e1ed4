package kubeadmiral_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// sharing returns two placements of the ConfigMap "shared" on different clusters.
func sharing(w *enginetest.World) (one, two enginetest.Request) {
	fixed := func(members ...string) *placement.Policy {
		return &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: members}
	}
	one = requestOf(w, map[string]string{"a": "1", "shared": "1"}, fixed(w.Members[0], w.Members[1]), modeOf(placement.TakeOverAlways))
	two = requestOf(w, map[string]string{"b": "2", "shared": "2"}, fixed(w.Members[1], w.Members[2]), modeOf(placement.TakeOverAlways))
	one.Name, two.Name = w.Name+"-one", w.Name+"-two"
	return one, two
}

// sharedOn returns the preview of the ConfigMap "shared" on a cluster.
func sharedOn(preview *engine.Preview, cluster string) engine.ObjectPreview {
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if c.Name == cluster && o.Name == "shared" {
				return o
			}
		}
	}
	return engine.ObjectPreview{}
}

// TestSharedObject checks that, if two placements in one run have the same object, the object belongs to the placement that claims it in the plan, regardless
// of which is applied first.
func TestSharedObject(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	for name, reversed := range map[string]bool{"in the order of the plan": false, "in the other order": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := onHost(t)
			one, two := sharing(w)
			first, second := previewed(t, w, one), previewed(t, w, two)
			second.Yield(first.Placement, first.Claims(), *two.Spec.Strategy.ApplyStrategy)
			for _, member := range []string{w.Members[1], w.Members[2]} {
				if shown := sharedOn(second, member); shown.Action != takeover.ActionLeaveAlone || shown.Owner.Name != one.Name {
					t.Fatalf("the plan shows %+v on %s", shown, member)
				}
			}
			one.Expected, two.Expected = engine.Expect(first), engine.Expect(second)
			order := []*enginetest.Request{&one, &two}
			if reversed {
				order = []*enginetest.Request{&two, &one}
			}
			for _, request := range order {
				*request = request.After(applied(t, w, *request).Status)
				request.Expected = nil
			}
			check := func() {
				t.Helper()
				if label := w.Must(w.Env.Hub, "v1 ConfigMap $ns/shared").GetLabels()[v1alpha1.ClusterPolicyLabel]; label != one.Name {
					t.Errorf("the placement %q has it", label)
				}
				for _, member := range w.Members[:2] {
					if value := w.Value(member, "v1 ConfigMap $ns/shared", "data", "value"); value != "1" {
						t.Errorf("%s has the value %v", member, value)
					}
				}
				if w.Find(w.Members[2], "v1 ConfigMap $ns/shared") != nil {
					t.Errorf("it is on %s", w.Members[2])
				}
				w.Must(w.Members[2], "v1 ConfigMap $ns/b")
			}
			check()
			for _, request := range []enginetest.Request{one, two} {
				if again := previewed(t, w, request); again.Pending() {
					t.Errorf("%s: there is something left to do: %+v", request.Name, again.Clusters)
				}
			}
			read, err := two.Read(w.Context(), w.Engine())
			if err != nil || len(read.Status.Clusters[w.Members[2]].FailedPlacements) != 1 {
				t.Errorf("the status does not report the object that is left to the other placement: %+v %v", read, err)
			}
			left := requestOf(w, map[string]string{"b": "2"}, two.Spec.Policy, *two.Spec.Strategy)
			left.Name, left.Again, left.Prior = two.Name, true, two.Prior
			left.Expected = engine.Expect(previewed(t, w, left))
			left = left.After(applied(t, w, left).Status)
			check()
			w.Delete(left)
			w.Must(w.Members[1], "v1 ConfigMap $ns/shared")
			w.Delete(one)
		})
	}
}
