package kubeadmiral_test

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestOptedOut checks that a host takes over neither objects nor Namespaces with the label kubeadmiral.io/managed: "false", and that the plan shows it. Other
// values of the label have no effect.
func TestOptedOut(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 2)
	request := w.Placing("$ns", aNamespace, own).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways})
	labelled := func(object, value string) string {
		return strings.Replace(object, "metadata: {", "metadata: {labels: {kubeadmiral.io/managed: '"+value+"'}, ", 1)
	}
	out, in := w.Members[0], w.Members[1]
	for _, manifest := range []string{aNamespace, own} {
		w.Put(out, labelled(manifest, "false"))
		w.Put(in, labelled(manifest, "no"))
	}
	preview := previewed(t, w, request)
	for _, o := range []struct{ kind, name string }{{"ConfigMap", "own"}, {"Namespace", w.Expand("$ns-in")}} {
		if got := object(t, preview, in, o.kind, o.name).Action; got != takeover.ActionTakeOver {
			t.Errorf("%s %s with another value: %s", o.kind, o.name, got)
		}
		got := object(t, preview, out, o.kind, o.name)
		if got.Action != takeover.ActionLeaveAlone || got.Obstacle != takeover.ObstacleForeignOwner || !strings.Contains(got.Problem, v1alpha1.ManagedLabel) {
			t.Errorf("%s %s: %s, %s, %s", o.kind, o.name, got.Action, got.Obstacle, got.Problem)
		}
	}
	status := applied(t, w, request).Status
	for _, o := range []string{inNamespace, ownIn} {
		for member, want := range map[string]string{out: "false", in: "true"} {
			if got := w.Must(member, o).GetLabels()[v1alpha1.ManagedLabel]; got != want {
				t.Errorf("%s on %s: the label is %q", o, member, got)
			}
		}
	}
	if failed := status.Clusters[out].FailedPlacements; len(failed) == 0 || len(status.Clusters[in].FailedPlacements) > 0 {
		t.Errorf("out %v, in %v", failed, status.Clusters[in].FailedPlacements)
	}
	w.Delete(request.After(status))
	for _, o := range []string{inNamespace, ownIn} {
		wantPresent(t, w, o, w.Members...)
	}
}
