package kubefleet_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestOwnerWithoutWork checks an AppliedWork whose Work does not exist any more, for example on a member that left the fleet and joined again. The
// AppliedWork remains an owner of the object, because no garbage collector deletes it, and the agent of the placement no longer applies the object. The plan
// shows this. The apply removes the owner reference, or warns if the credentials do not allow the removal.
func TestOwnerWithoutWork(t *testing.T) {
	t.Parallel()
	const object = "v1 ConfigMap $ns-app/settings"
	w := fleet.World(t, 1)
	member := w.Members[0]
	w.Put(w.Env.Hub, app)
	request := placing(w)
	request.Wait, request.Spec.Policy = true, on(member)
	w.DeleteAtEnd(request)
	e := w.Engine()
	request = request.After(w.ApplyBy(e, request).Status)
	uid := w.Must(member, object).GetUID()

	const left = hubKinds + " AppliedWork $ns-gone-work"
	w.Put(member, "{apiVersion: "+hubKinds+", kind: AppliedWork, metadata: {name: $ns-gone-work}, spec: {workName: $ns-gone-work, workNamespace: fleet-member-"+member+"}}")
	owners := append(w.Must(member, object).GetOwnerReferences(), metav1.OwnerReference{
		APIVersion: hubKinds, Kind: agent.AppliedWork, Name: w.Expand("$ns-gone-work"), UID: w.Must(member, left).GetUID(),
	})
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": owners}})
	if err != nil {
		t.Fatal(err)
	}
	w.Edit(member, object, string(patch))
	w.Edit(w.Env.Hub, object, "{data: {greeting: changed}}")
	w.Eventually("the agent does not apply the object", func() bool {
		read, err := request.Read(w.Context(), e)
		return err == nil && slices.ContainsFunc(read.Status.Clusters[member].FailedPlacements, func(f placement.FailedPlacement) bool {
			return strings.Contains(f.Condition.Message, "co-owned by multiple objects")
		})
	})
	plan := func() *engine.Preview {
		t.Helper()
		out, err := request.Preview(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	isShown := func(preview *engine.Preview) bool {
		return slices.ContainsFunc(preview.Dangers, func(d engine.Danger) bool {
			return strings.Contains(d.Message, w.Expand(`AppliedWork "$ns-gone-work"`))
		})
	}
	if preview := plan(); !preview.Pending() || !isShown(preview) {
		t.Errorf("pending %t, %+v", preview.Pending(), preview.Dangers)
	}
	if w.Env.Has(clusters.Readonly(member)) {
		warnsWithoutRights(t, w, request, object)
	}
	request = request.After(w.ApplyBy(w.Engine(), request).Status)
	live := w.Must(member, object)
	if owners := live.GetOwnerReferences(); len(owners) != 1 || live.GetUID() != uid || live.Object["data"].(map[string]any)["greeting"] != "changed" {
		t.Errorf("the owners are %v, the data %v", owners, live.Object["data"])
	}
	w.Must(member, left) // the apply removes only the reference to it
	if preview := plan(); preview.Pending() || isShown(preview) {
		t.Errorf("pending %t, %+v", preview.Pending(), preview.Dangers)
	}
}

// warnsWithoutRights fails the test unless an apply without the right to write on the member keeps the owners of an object, and warns.
func warnsWithoutRights(t *testing.T, w *enginetest.World, request enginetest.Request, object string) {
	t.Helper()
	member := w.Members[0]
	reader := fleet.Subject.New(w.Connect(enginetest.Access{As: func(cluster string) string {
		if cluster == member {
			return clusters.Readonly(cluster)
		}
		return cluster
	}}))
	request.Wait = false
	result, err := request.Apply(w.Context(), reader)
	if err != nil || !slices.ContainsFunc(result.Warnings, func(text string) bool { return strings.Contains(text, w.Expand("ConfigMap $ns-app/settings")) }) {
		t.Errorf("the apply does not warn: %v, %+v", err, result)
	}
	if owners := w.Must(member, object).GetOwnerReferences(); len(owners) != 2 {
		t.Errorf("the owners are %v", owners)
	}
}
