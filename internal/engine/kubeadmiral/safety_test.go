package kubeadmiral_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// names are the ConfigMaps that a placement may have.
var names = []string{"a", "b", "c", "d"}

// configMaps returns the ConfigMaps of a world.
func configMaps(w *enginetest.World) enginetest.WatchedKind {
	return enginetest.WatchedKind{APIVersion: "v1", Kind: "ConfigMap", Namespace: w.Name, Names: names, Value: func(u *unstructured.Unstructured) string {
		value, _, _ := unstructured.NestedString(u.Object, "data", "value")
		return value
	}}
}

// mostReads is the maximum number of reads of the members before the client of a real control plane gets the answer to a write.
const mostReads = 60

// watch waits after every write until the fake control plane has processed it, and compares the members with a preview. A real control plane gets some time,
// and the members are compared continuously.
func watch(w *enginetest.World, preview *engine.Preview, wanted map[string]string) *enginetest.Watched {
	w.Helper()
	if onRealHost {
		out := w.Watch(configMaps(w), preview, wanted, func(context.Context) error {
			for range rand.IntN(mostReads) { //nolint:gosec // no secret
				if _, err := w.ReadWatched(configMaps(w)); err != nil {
					return err
				}
			}
			return nil
		})
		out.Poll()
		return out
	}
	return w.Watch(configMaps(w), preview, wanted, func(ctx context.Context) error {
		return plane.Rest(ctx, w.Name, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	})
}

// requestOf returns a request for ConfigMaps with values.
func requestOf(w *enginetest.World, values map[string]string, policy *placement.Policy, strategy placement.Strategy) enginetest.Request {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		texts = append(texts, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: $ns}, data: {value: %q}}", name, values[name]))
	}
	request := w.Placing("$ns", texts...)
	request.Spec.Policy, request.Spec.Strategy = policy, &strategy
	return request
}

// next applies a request under watch, bound to its preview, and returns the next request.
func next(t *testing.T, w *enginetest.World, request enginetest.Request, values map[string]string) enginetest.Request {
	t.Helper()
	preview := previewed(t, w, request)
	request.Expected = engine.Expect(preview)
	again := w.Another()
	watched := watch(again, preview, values)
	result := applied(t, again, request)
	watched.Ends()
	return request.After(result.Status)
}

// TestSafeAfterEveryWrite checks that an apply never changes an object on a member that its plan does not show as changed, not even temporarily, regardless
// of the speed of the control plane.
func TestSafeAfterEveryWrite(t *testing.T) {
	t.Parallel()
	seeds := 12
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := fleet.World(t, 3)
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
			r := rand.New(rand.NewPCG(uint64(seed), 0))
			var request enginetest.Request
			for step := range 4 {
				values := map[string]string{}
				for _, name := range names {
					if r.IntN(3) > 0 {
						values[name] = []string{"1", "2"}[r.IntN(2)]
					}
				}
				if len(values) == 0 {
					values["a"] = "1"
				}
				putForeign(w, r)
				policy, strategy := randomPolicy(r, w.Members), randomStrategy(r)
				t.Logf("step %d: %v, %s, %+v", step, values, enginetest.DescribePolicy(policy), strategy.ApplyStrategy.WhenToTakeOver)
				changed := requestOf(w, values, policy, strategy)
				changed.Again, changed.Prior = request.Again, request.Prior
				request = next(t, w, changed, values)
			}
			w.Delete(request)
		})
	}
}

// putForeign creates objects of other owners on members that have none of that name.
func putForeign(w *enginetest.World, r *rand.Rand) {
	w.Helper()
	now, err := w.ReadWatched(configMaps(w))
	if err != nil {
		w.Fatal(err)
	}
	for _, member := range w.Members {
		for _, name := range names {
			if r.IntN(4) == 0 && now[member][name].UID == "" {
				w.Put(member, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: $ns}, data: {value: %q}}", name, []string{"1", "theirs"}[r.IntN(2)]))
			}
		}
	}
}
