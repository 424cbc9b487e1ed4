package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	twoFields = "{apiVersion: v1, kind: ConfigMap, metadata: {name: $ns-fields}, data: {stays: a, goes: b}}"
	oneField  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: $ns-fields}, data: {stays: a}}"
)

// TestReadersSeeRemovals checks that the plan of a read-only account shows all removals: objects that are no longer placed, objects on a cluster that is no
// longer picked, objects of a removed placement, and fields, as far as the live objects show which fields were applied.
func TestReadersSeeRemovals(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	for _, how := range applyTypes {
		w := newWorld(t)
		reader := func() engine.Engine {
			clients, ok := w.Readers(enginetest.Access{})
			if !ok {
				t.Skip("these clusters have no read-only user")
			}
			return subject.New(clients)
		}
		name := "read-" + w.Name
		request := strategy(enginetest.Request{Name: name, Manifests: w.Manifests(configMap("read-a", "1"), configMap("read-b", "1"))}, how, placement.TakeOverAlways)
		w.DeleteAtEnd(request)
		request = request.After(w.Apply(request).Status)
		sees := func(what, cluster, object string, want takeover.Action) engine.ObjectPreview {
			found, _ := w.previewObject(reader(), request, cluster, w.Expand(object))
			if found.Action != want {
				t.Errorf("%s: the preview of a reader shows %q for %s", how, found.Action, what)
			}
			return found
		}
		all := request.Manifests
		request.Manifests = w.Manifests(configMap("read-a", "1"))
		sees("is no longer placed", "member-1", "read-b", takeover.ActionPrune)
		request.Manifests = all
		preview, err := request.PreviewDelete(t.Context(), reader())
		if err != nil || len(preview.Clusters) != 2 || len(preview.Clusters[0].Objects) != 2 || preview.Clusters[0].Objects[0].Action != takeover.ActionPrune {
			t.Errorf("%s: a reader sees of the removal: %+v, %v", how, preview, err)
		}
		request.Manifests = w.Manifests(twoFields)
		request = request.After(w.Apply(request).Status)
		request.Manifests = w.Manifests(oneField)
		object := sees("loses a field", "member-1", "$ns-fields", takeover.ActionUpdate)
		if len(object.Differences) != 1 || object.Differences[0].Field != "data.goes" || object.Differences[0].HasHub {
			t.Errorf("%s: a reader sees the differences %+v", how, object.Differences)
		}
		request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}}
		sees("is on a cluster that is no longer picked", "member-2", "$ns-fields", takeover.ActionPrune)
	}
}
