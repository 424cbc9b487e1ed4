package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// copyObject copies an object from member-1 to member-2, as the restore of a backup does, and edits the copy.
func (w *world) copyObject(name string) {
	w.Helper()
	u := w.Must("member-1", "v1 ConfigMap "+name)
	u.SetResourceVersion("")
	u.SetUID("")
	u.SetManagedFields(nil)
	if _, err := w.On("member-2").Add(w.Context(), u, false); err != nil {
		w.Fatal(err)
	}
	w.Edit("member-2", "v1 ConfigMap "+name, "{data: {value: theirs}}")
}

// TestCopiedObject checks that a copy of a placed object is not the placement's own although it has its label, whether it is older or younger than the
// placement on the cluster: the takeover mode applies to it, and a destroy does not delete it.
func TestCopiedObject(t *testing.T) {
	t.Parallel()
	for _, how := range applyTypes {
		for when, want := range map[placement.WhenToTakeOver]string{
			placement.TakeOverNever: "theirs", placement.TakeOverIfNoDiff: "theirs", placement.TakeOverAlways: "placed",
		} {
			t.Run(string(how)+" "+string(when), func(t *testing.T) {
				// Package takeover has tests of each mode.
				brief := how == placement.ClientSideApply && when == placement.TakeOverIfNoDiff || how == placement.ServerSideApply && when == placement.TakeOverAlways
				if !brief && testing.Short() {
					t.Skip("make test-all runs it")
				}
				t.Parallel()
				newWorld(t).checkCopyUnder(how, when, want)
			})
		}
	}
}

// checkCopyUnder fails the test unless the takeover mode applies to a copy.
func (w *world) checkCopyUnder(how placement.ApplyType, when placement.WhenToTakeOver, want string) {
	w.Helper()
	request := strategy(w.newRequest("copied", configMap("copied", "placed")), how, when)
	if how == placement.ServerSideApply {
		request.Spec.Strategy.ApplyStrategy.ServerSideApplyConfig = &placement.ServerSideApplyConfig{Force: new(true)}
	}
	w.DeleteAtEnd(request)
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}}
	status := w.Apply(request).Status
	w.copyObject("copied")
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1", "member-2"}}
	o, _ := w.previewObject(w.Engine(), request.After(status), "member-2", "copied")
	if o.Owned || o.Owner.Kind != takeover.OwnerUnrecorded || !o.Conflict() {
		w.Errorf("the plan shows %+v", o)
	}
	result := w.Apply(request.After(status))
	if got := w.value("member-2", "copied"); got != want {
		w.Errorf("the copy has %q", got)
	}
	if want == "theirs" && failures(result.Status, "member-2")["copied"] == "" {
		w.Errorf("the status does not report the copy")
	}
	w.Delete(request.After(result.Status))
	if w.value("member-1", "copied") != "absent" || w.value("member-2", "copied") != want {
		w.Errorf("after the deletion the values are %q and %q", w.value("member-1", "copied"), w.value("member-2", "copied"))
	}
}

// TestCopyInPlace checks that a copy is not the placement's own either if it replaces a deleted object of the placement.
func TestCopyInPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := strategy(w.newRequest("in-place", configMap("in-place", "placed")), placement.ClientSideApply, placement.TakeOverNever)
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	w.Remove("member-2", "v1 ConfigMap in-place")
	w.copyObject("in-place")
	result := w.Apply(request.After(status))
	w.Contains(failures(result.Status, "member-2")["in-place"], "NotTakenOver")
	w.Delete(request.After(result.Status))
	if w.value("member-1", "in-place") != "absent" || w.value("member-2", "in-place") != "theirs" {
		t.Errorf("after the deletion the values are %q and %q", w.value("member-1", "in-place"), w.value("member-2", "in-place"))
	}
}
