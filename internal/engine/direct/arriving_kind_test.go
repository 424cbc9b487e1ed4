package direct_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const gizmo = "{apiVersion: $ns.example.org/v1, kind: Gizmo, metadata: {name: one}}"

// gizmoKind returns the kind of the definition.
func (w *world) gizmoKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: w.Expand("$ns.example.org"), Version: "v1", Kind: "Gizmo"}
}

// TestKindOfAnotherPlacement checks that a plan expects an object to be created if another placement of the run brings its kind to the cluster, and that it
// reports clusters that do not serve the kind. A preview names the kinds that the placement brings.
//
// It is not parallel, because other tests list objects of all kinds that a cluster serves.
func TestKindOfAnotherPlacement(t *testing.T) {
	w := newWorld(t)
	definition, request := w.newRequest("definition", gizmos), w.newRequest("gizmos", configMap("gizmos", "1"), gizmo)
	preview, err := definition.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	brings := preview.ProvidedKinds()
	if !slices.Equal(brings["member-1"], []schema.GroupVersionKind{w.gizmoKind()}) {
		t.Errorf("the definition brings %v", brings)
	}
	request.World.Kinds = engine.Kinds{"member-1": {w.gizmoKind(): definition.Name}}
	if preview, err = request.Preview(t.Context(), w.Engine()); err != nil {
		t.Fatal(err)
	}
	if o := previewOf(preview, "member-1", "one"); o.Action != takeover.ActionCreate || !o.Unserved || o.ProvidedBy != definition.Name {
		t.Errorf("member-1: %+v", o)
	}
	if o := previewOf(preview, "member-2", "one"); o.Action != takeover.ActionReject || !o.Unserved || o.Obstacle != takeover.ObstacleNotServed {
		t.Errorf("member-2: %+v", o)
	}
	lacks := preview.Lacks()
	if len(lacks) != 1 || lacks[0].Kind != w.gizmoKind() || !slices.Contains(lacks[0].Clusters, "member-2") || slices.Contains(lacks[0].Clusters, "member-1") {
		t.Errorf("the placement lacks %+v", lacks)
	}
}

// TestKindArrives checks that an apply waits for a kind that was not served in the plan, and places its objects last, as soon as another placement has
// brought the kind. An object whose kind does not arrive fails, and the next apply places it.
//
// It is not parallel, because other tests list objects of all kinds that a cluster serves.
func TestKindArrives(t *testing.T) {
	w := newWorld(t)
	definition, request := w.newRequest("definition", gizmos), w.newRequest("gizmos", configMap("gizmos", "1"), gizmo)
	preview, err := request.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	request.Expected = engine.Expect(preview)
	request.MayArrive = func(kinds []schema.GroupVersionKind) bool {
		if !slices.Equal(kinds, []schema.GroupVersionKind{w.gizmoKind()}) {
			t.Errorf("waits for %v", kinds)
		}
		return false
	}
	w.DeleteAtEnd(request)
	result := w.Apply(request)
	w.Contains(failures(result.Status, "member-1")["one"], "DecodingErred", "does not serve kind Gizmo")
	if w.value("member-1", "gizmos") != "1" {
		t.Error("the other object is not placed")
	}
	if o := resultOf(result, "member-1", "one"); o.Action != takeover.ActionReject || o.Obstacle != takeover.ObstacleNotServed {
		t.Errorf("the object is %+v", o)
	}

	request = request.After(result.Status)
	brought := false
	request.MayArrive = func([]schema.GroupVersionKind) bool {
		if !brought {
			brought = true
			w.DeleteAtEnd(definition)
			w.Apply(definition)
		}
		return true
	}
	request.Expected = nil
	result = w.Apply(request)
	w.checkComplete(result.Status)
	w.Must("member-1", "$ns.example.org/v1 Gizmo one")
	if got := w.inventory("member-1", "gizmos")["Gizmo one"]; got.UID == "" || got.Adopted {
		t.Errorf("the record has %+v", got)
	}
	request.MayArrive = nil
	w.checkIdle(request.After(result.Status))
}

// TestKindThatNeverArrives checks that a placement can be removed after its apply has waited for a kind without success: the object is not recorded as placed.
//
// It is not parallel, because other tests list objects of all kinds that a cluster serves.
func TestKindThatNeverArrives(t *testing.T) {
	w := newWorld(t)
	request := w.newRequest("gizmos", configMap("gizmos", "1"), gizmo)
	request.MayArrive = func([]schema.GroupVersionKind) bool { return false }
	w.DeleteAtEnd(request)
	result := w.Apply(request)
	w.Contains(failures(result.Status, "member-1")["one"], "DecodingErred", "does not serve kind Gizmo")
	w.Delete(request.After(result.Status))
	if w.value("member-1", "gizmos") != "absent" || w.inventory("member-1", "gizmos") != nil {
		t.Error("member-1 still has the placement")
	}
}

// resultOf returns the result of an apply for an object.
func resultOf(result *engine.Result, cluster, name string) engine.ObjectResult {
	for _, o := range result.Objects {
		if o.Cluster == cluster && o.Name == name {
			return o
		}
	}
	return engine.ObjectResult{}
}
