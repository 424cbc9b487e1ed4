package direct_test

import (
	"context"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// leave removes member-2 from the fleet until rejoin is called or the test ends. Tests that use it are not parallel, because all tests share the fleet.
func (w *world) leave() (rejoin func()) {
	w.Helper()
	before, err := w.Past().ReadMember(w.Context(), "member-2", nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Remove("member-2", "v1 ConfigMap "+direct.Namespace+"/member-cluster")
	away := true
	rejoin = func() {
		if away {
			_, err = w.Past().ApplyMember(context.Background(), engine.Member{Spec: before.Spec}, &engine.Member{})
		}
		if away = false; err != nil {
			w.Error(err)
		}
	}
	w.Cleanup(rejoin)
	return rejoin
}

// TestMemberLeavesAndRejoins checks a member that leaves the fleet and rejoins. The placement then owns again the objects that it created there: there is no
// conflict, and a destroy deletes them. Pre-existing objects, recreated objects, and objects that others took over in the meantime count as pre-existing: the
// placement takes them over, and a destroy keeps them.
func TestMemberLeavesAndRejoins(t *testing.T) {
	w := newWorld(t)
	names := []string{"back-made", "back-there", "back-recreated", "back-taken", "back-dropped"}
	var texts []string
	for _, name := range names {
		texts = append(texts, configMap(name, "1"))
	}
	w.Put("member-2", configMap("back-there", "1"))
	request := w.newRequest("back", texts...)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)

	rejoin := w.leave()
	result := w.Apply(request)
	if _, there := result.Status.Clusters["member-2"]; there {
		t.Errorf("the status still has member-2: %+v", result.Status.Clusters["member-2"])
	}
	request = request.After(result.Status)
	w.checkIdle(request)
	if w.Find("member-2", record("Secret", "back")) != nil {
		t.Error("the manifests remain on member-2")
	}
	w.Remove("member-2", "v1 ConfigMap back-recreated")
	w.Put("member-2", configMap("back-recreated", "1"))
	w.Edit("member-2", "v1 ConfigMap back-taken", "{metadata: {labels: {applyset.kubernetes.io/part-of: theirs}}}")
	request = strategy(request, placement.ClientSideApply, placement.TakeOverAlways)
	request.Manifests = w.Manifests(texts[:4]...)
	request = request.After(w.Apply(request).Status) // member-2 is not affected

	rejoin()
	for name, want := range map[string]takeover.Action{
		"back-made": takeover.ActionUpdate, "back-there": takeover.ActionTakeOver, "back-recreated": takeover.ActionTakeOver, "back-taken": takeover.ActionTakeOver,
	} {
		if object, _ := w.previewObject(w.Engine(), request, "member-2", name); object.Action != want {
			t.Errorf("the preview of %s is %q", name, object.Action)
		}
	}
	result = w.Apply(request)
	w.checkComplete(result.Status)
	request = request.After(result.Status)
	w.checkIdle(request)
	for name, adopted := range map[string]bool{"back-made": false, "back-there": true, "back-recreated": true, "back-taken": true} {
		if got := w.inventory("member-2", "back")["ConfigMap "+name]; got.UID == "" || got.Adopted != adopted || got.Released {
			t.Errorf("the inventory has %+v of %s", got, name)
		}
	}
	w.Delete(request)
	for _, name := range names {
		want := "1"
		if name == "back-made" {
			want = "absent"
		}
		if got := w.value("member-2", name); got != want || w.value("member-1", name) != "absent" {
			t.Errorf("%s is %s on member-2 and %s on member-1", name, got, w.value("member-1", name))
		}
	}
	if w.inventory("member-2", "back") != nil {
		t.Error("the record remains")
	}
}

// TestDestroyAfterMemberLeft checks that a destroy after a member has left the fleet reports the remaining objects, deletes none of them, and removes the
// record.
func TestDestroyAfterMemberLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := newWorld(t)
	request := w.newRequest("left", configMap("left", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.leave()
	request = request.After(w.Apply(request).Status)
	preview, err := request.PreviewDelete(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	for _, cluster := range preview.Clusters {
		want := takeover.ActionPrune
		if cluster.Name == "member-2" {
			want = takeover.ActionNone
		}
		if len(cluster.Objects) != 1 || cluster.Objects[0].Action != want || (want == takeover.ActionNone) != (cluster.Objects[0].Obstacle == takeover.ObstacleLeft) {
			t.Errorf("predicted on %s: %+v", cluster.Name, cluster.Objects)
		}
	}
	w.Delete(request)
	if w.value("member-2", "left") != "1" || w.value("member-1", "left") != "absent" || w.inventory("member-2", "left") != nil {
		t.Errorf("the object is %s on member-1 and %s on member-2, and the record on member-2 is %v", w.value("member-1", "left"), w.value("member-2", "left"), w.inventory("member-2", "left"))
	}
}

// TestReleasedByAnotherPlacement checks that objects released by a placement do not belong to a later placement of the same name, and do not block it.
func TestReleasedByAnotherPlacement(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := newWorld(t)
	first := w.newRequest("namesake", configMap("namesake", "1"))
	first.ID = "first"
	w.DeleteAtEnd(first)
	first = first.After(w.Apply(first).Status)
	rejoin := w.leave()
	w.Apply(first)
	w.Remove("member-1", record("ConfigMap", "namesake"))
	w.Remove("member-1", "v1 ConfigMap namesake")
	rejoin()
	second := w.newRequest("namesake", configMap("namesake", "1"))
	second.ID = "second"
	w.DeleteAtEnd(second)
	if object, _ := w.previewObject(w.Engine(), second, "member-2", "namesake"); object.Action != takeover.ActionTakeOver {
		t.Errorf("the preview is %+v", object)
	}
	w.checkComplete(w.Apply(second).Status)
	if !w.inventory("member-2", "namesake")["ConfigMap namesake"].Adopted {
		t.Error("an object of another placement counts as created by the placement")
	}
}
