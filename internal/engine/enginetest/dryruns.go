package enginetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// DryRunsOnce checks that an engine makes the dry runs of takeovers during the plan only: the apply does not repeat them for objects that have not changed
// since the plan.
func DryRunsOnce(t *testing.T, f *Fleet) {
	t.Helper()
	w := f.World(t, 1)
	member := w.Members[0]
	const count = 5
	var manifests []string
	for i := range count {
		manifests = append(manifests, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: $ns}, data: {a: '1'}}", i))
		w.Put(member, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: $ns}, data: {a: '2'}}", i))
	}
	request := w.Supplied(w.Placing("$ns-once", manifests...).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways}))
	w.DeleteAtEnd(request)
	w.Reset()
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	if made := w.dryRunsOn(member); made < count {
		w.Fatalf("the plan made %d dry runs for %d takeovers", made, count)
	}
	request.Expected = engine.Expect(preview)
	w.Reset()
	w.Apply(request)
	if made := w.dryRunsOn(member); made > 0 {
		w.Errorf("the apply repeated %d dry runs of its plan", made)
	}
}

// dryRunsOn returns how many dry runs were sent to a cluster.
func (w *World) dryRunsOn(cluster string) int {
	return len(slices.DeleteFunc(w.Requests(), func(r clusters.Request) bool { return r.Context != cluster || !r.DryRun }))
}
