package kubefleet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// An agent forces conflicts of a server-side apply if it is the only one that has written to the object, but not during a takeover, because it has first
// written its owner reference with another field manager. Without force, the takeover of such an object therefore ends with a conflict. The same happens to an
// object that is too large for a client-side apply, because the agent then uses a server-side apply. The plan shows the conflict.
func TestTakeoverWithoutForce(t *testing.T) {
	t.Parallel()
	space, settings, _ := strings.Cut(app, "\n---\n")
	large := strings.Repeat("x", 262000)
	of := func(greeting string) string { return strings.ReplaceAll(settings, "hello", greeting) }
	unforced := placement.ApplyStrategy{Type: placement.ServerSideApply}
	for name, c := range map[string]struct {
		manager, here, placed string
		how                   placement.ApplyStrategy
	}{
		"left by the agent": {agent.FieldManager, of("hi"), of("hello"), unforced},
		"too large":         {"kubectl", of("a" + large), of("b" + large), placement.ApplyStrategy{}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "too large" && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 1)
			w.Put(w.Env.Hub, space+"\n---\n"+c.placed)
			w.PutAs(w.Members[0], c.manager, space+"\n---\n"+c.here)
			request := placing(w).Strategy(c.how)
			request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
			w.DeleteAtEnd(request)
			e := w.Engine()
			preview, err := request.Preview(w.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			if action, reason := predictedFor("ConfigMap", preview); action != takeover.ActionReject || reason != takeover.ReasonManifestApplyFailed {
				t.Errorf("predicted: %s %s", action, reason)
			}
			result, err := request.Apply(w.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			failed := false
			for _, o := range result.Objects {
				failed = failed || o.Kind == "ConfigMap" && o.Failure != nil && o.Failure.Reason == takeover.ReasonManifestApplyFailed
			}
			if !failed {
				t.Errorf("the hub did it: %+v", result.Objects)
			}
		})
	}
}

// The result of an apply names the objects taken over, even if another object of the cluster is rejected.
func TestTakeoverIsReported(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{"all is applied": false, "another object is refused": true} {
		t.Run(name, func(t *testing.T) {
			if !refused && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 1)
			const more = "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: fixed, namespace: $ns-app}, data: {a: '1'}, immutable: true}"
			w.Put(w.Env.Hub, app+more)
			w.Put(w.Members[0], strings.ReplaceAll(app, "hello", "hi"))
			if refused {
				w.Put(w.Members[0], strings.ReplaceAll(more, "'1'", "'2'"))
			}
			request := placing(w)
			request.Wait = true
			request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
			w.DeleteAtEnd(request)
			result, err := request.Apply(w.Context(), w.Engine())
			if err != nil || result.TimedOut {
				t.Fatalf("%+v, %v", result, err)
			}
			var got []string
			for _, o := range result.Objects {
				text := string(o.Action) + " " + o.Name
				if o.Failure != nil {
					text += " " + o.Failure.Reason
				}
				got = append(got, text)
			}
			slices.Sort(got)
			want := []string{"create fixed", "take_over " + w.Expand("$ns-app"), "take_over settings"}
			if refused {
				want[0] = "reject fixed ManifestApplyFailed"
			}
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			after, err := request.After(result.Status).Preview(w.Context(), w.Engine())
			if err != nil || after.Pending() || after.OnHub().Stalled != refused {
				t.Errorf("pending: %t, stalled: %t, %v", after.Pending(), after.OnHub().Stalled, err)
			}
		})
	}
}

// predictedFor returns the predicted action on the object of a kind, and its reason.
func predictedFor(kind string, preview *engine.Preview) (takeover.Action, string) {
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Kind == kind {
				return o.Action, o.Reason
			}
		}
	}
	return "", ""
}
