package kubeadmiral_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// differing returns the differing fields of the Deployment on the first cluster, and the action on it.
func differing(preview *engine.Preview) (action takeover.Action, fields []string) {
	for _, o := range preview.Clusters[0].Objects {
		if o.Kind == "Deployment" {
			action = o.Action
			for _, d := range o.Differences {
				fields = append(fields, d.Field)
			}
		}
	}
	return action, slices.DeleteFunc(fields, func(field string) bool { return !strings.HasPrefix(field, "spec") })
}

// TestRetainedReplicas checks that a Deployment whose manifest has the annotation keeps its current replica count when it is taken over and when it is scaled
// later, until the annotation is removed from the manifest. The plan predicts the same, even before the object is on the host.
func TestRetainedReplicas(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	member := w.Members[0]
	const ref = "apps/v1 Deployment $ns/my-nginx"
	unscaled := strings.Replace(nginxOf("nginx"), "replicas: 2, ", "", 1)
	retained := strings.Replace(unscaled, "name: my-nginx, namespace: $ns}", "name: my-nginx, namespace: $ns, annotations: {kubeadmiral.io/retain-replicas: 'true'}}", 1)
	slower := func(text string) string {
		return strings.Replace(text, "spec: {selector", "spec: {minReadySeconds: 1, selector", 1)
	}
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	w.Put(member, nginxOf("nginx"))
	scale := func(patch string) { w.EditAs(member, "kube-controller-manager", "scale", ref, patch) }
	replicas := func() any { return w.Value(member, ref, "spec", "replicas") }
	scale("spec: {replicas: 4}")
	placing := func(text string) enginetest.Request {
		request := w.Placing("$ns", text).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff})
		request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
		return request
	}
	predicted := func(request enginetest.Request, want takeover.Action, fields ...string) {
		t.Helper()
		preview, err := request.Preview(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if action, differ := differing(preview); action != want || !slices.Equal(differ, fields) {
			t.Errorf("it is predicted as %s with %q: %+v", action, differ, preview.Clusters)
		}
	}

	predicted(placing(unscaled), takeover.ActionLeaveAlone, "spec.replicas")
	request := placing(retained)
	predicted(request, takeover.ActionTakeOver)
	result := applied(t, w, request)
	if now := w.Must(member, ref); !dispatch.Managed(now) || replicas() != int64(4) {
		t.Errorf("it has %v replicas: %v", replicas(), now.Object["metadata"])
	}
	if stored := w.Value(w.Env.Hub, ref, "spec", "replicas"); stored != int64(1) {
		t.Errorf("the host has stored %v", stored)
	}

	scale("spec: {replicas: 5}")
	again := request.After(result.Status)
	predicted(again, takeover.ActionNone)
	changed := placing(slower(retained)).After(result.Status)
	predicted(changed, takeover.ActionUpdate, "spec.minReadySeconds")
	result = applied(t, w, changed)
	if replicas() != int64(5) {
		t.Errorf("after an update it has %v replicas", replicas())
	}

	// Without the annotation, the host sets the replicas.
	given := placing(slower(unscaled)).After(result.Status)
	predicted(given, takeover.ActionUpdate, "spec.replicas")
	result = applied(t, w, given)
	w.Eventually("the host's number of replicas", func() bool { return replicas() == int64(1) })
	w.Delete(given.After(result.Status))
}
