package kubeadmiral_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestHandOverToResourcePlacement checks that a fleet_resource_placement takes over an object of a fleet_crp after another user has set the label of the
// fleet_crp again, and that the object then has one label.
func TestHandOverToResourcePlacement(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHandOver(t, nil, nil)
	const moved = "v1 ConfigMap $ns/b"
	h.Edit(h.Env.Hub, moved, "{metadata: {labels: {"+v1alpha1.ClusterPolicyLabel+": null}}}")
	h.Eventually("b is deleted", func() bool {
		return h.Find(h.Members[2], moved) == nil && h.Find(h.Members[0], moved) == nil && h.Find(h.Members[1], moved) == nil
	})
	h.Edit(h.Env.Hub, moved, "{metadata: {labels: {"+v1alpha1.ClusterPolicyLabel+": "+h.bulk.Name+"}}}")
	h.Eventually("b is there again", func() bool {
		return h.Find(h.Members[2], moved) != nil && h.Find(h.Members[0], moved) != nil && h.Find(h.Members[1], moved) != nil
	})
	before := h.uids()
	web := engine.Placement{Reference: engine.Reference{Namespace: h.Name, Name: "web"}}
	web.Manifests = h.Manifests("{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: $ns}, data: {value: '2'}}")
	web.TakesOverFrom = []engine.Giver{{Name: h.bulk.Name}}
	plan := func(options engine.PreviewOptions) *engine.Preview {
		t.Helper()
		preview, err := h.Engine().Preview(h.Context(), web, options)
		if err != nil {
			t.Fatal(err)
		}
		return preview
	}
	preview := plan(engine.PreviewOptions{Create: true})
	if o := object(t, preview, h.Members[1], "ConfigMap", "b"); o.Action != takeover.ActionTakeOverFrom {
		t.Errorf("web's plan shows %+v", o)
	}
	result, err := h.Engine().ApplyPlacement(h.Context(), web, engine.ApplyOptions{Create: true, Expected: engine.Expect(preview)})
	if err != nil || result.TimedOut {
		t.Fatalf("%+v %v", result, err)
	}
	web.Prior = &result.Status
	if diff := cmp.Diff(map[string]string{v1alpha1.PolicyLabel: "web"}, convert.KeysIn(h.Must(h.Env.Hub, moved)).Labels); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, h.uids()); diff != "" {
		t.Errorf("objects were recreated: %s", diff)
	}
	if again := plan(engine.PreviewOptions{}); again.Pending() {
		t.Errorf("there is something left to do: %+v", again.Clusters)
	}
	h.destroy(&h.bulk)
	wantPresent(t, h.World, moved, h.Members...)
	if _, err := h.Engine().DeletePlacement(h.Context(), web, engine.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	gone(t, h.World, moved, everywhere(h.World)...)
}

// TestHandOverOfWhatAThirdPlacementHas checks that an object that also has the label of a third placement remains with the third placement: a
// PropagationPolicy takes precedence over a ClusterPropagationPolicy.
func TestHandOverOfWhatAThirdPlacementHas(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHandOver(t, nil, nil)
	const disputed = "v1 ConfigMap $ns/b"
	h.Put(h.Env.Hub, "{apiVersion: core.kubeadmiral.io/v1alpha1, kind: PropagationPolicy, metadata: {name: third, namespace: $ns}, "+
		"spec: {schedulingMode: Duplicate, placement: [{cluster: member-1}, {cluster: member-2}, {cluster: member-3}]}}")
	h.Edit(h.Env.Hub, disputed, "{metadata: {labels: {"+v1alpha1.PolicyLabel+": third}}}")
	preview := previewed(t, h.World, h.web)
	if o := object(t, preview, h.Members[1], "ConfigMap", "b"); o.Action != takeover.ActionLeaveAlone || o.Owner.Name != h.Name+"/third" {
		t.Errorf("%+v", o)
	}
	if o := object(t, preview, h.Members[1], "ConfigMap", "c"); o.Action != takeover.ActionTakeOverFrom {
		t.Errorf("%+v", o)
	}
}

// TestHandOverOfNamespaceFromRemoved checks that a Namespace that was taken over from a removed placement is deleted with its new owner, even if the removed
// placement still has other objects.
func TestHandOverOfNamespaceFromRemoved(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newNamespaceHandOver(t, true)
	w := h.World
	web := previewed(t, w, h.web)
	h.web.Expected = h.digest(web)
	h.apply(&h.web, web, h.webValues)
	h.destroy(&h.web)
	gone(t, w, handedNamespace, everywhere(w)...)
	wantPresent(t, w, "v1 ConfigMap $ns/a", w.Members[0])
}
