package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// copied puts a copy of an object that member-1 has onto member-2, as a backup that is restored there does, and edits it.
func (w *world) copied(name string) {
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

// A copy of a placed object has its label and is not the placement's own, whether it was there before the placement came to the cluster or
// appeared later: the takeover mode decides about it, and a destroy leaves it.
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
				newWorld(t).copiedUnder(how, when, want)
			})
		}
	}
}

// copiedUnder wants the takeover mode to decide about a copy.
func (w *world) copiedUnder(how placement.ApplyType, when placement.WhenToTakeOver, want string) {
	w.Helper()
	request := strategy(w.placing("copied", configMap("copied", "placed")), how, when)
	if how == placement.ServerSideApply {
		request.Spec.Strategy.ApplyStrategy.ServerSideApplyConfig = &placement.ServerSideApplyConfig{Force: new(true)}
	}
	w.DeleteAtEnd(request)
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}}
	status := w.Apply(request).Status
	w.copied("copied")
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1", "member-2"}}
	o, _ := w.previewed(w.Engine(), request.After(status), "member-2", "copied")
	if o.Owned || o.Owner.Kind != takeover.OwnerUnrecorded || !o.Conflict() {
		w.Errorf("the plan says %+v", o)
	}
	result := w.Apply(request.After(status))
	if got := w.value("member-2", "copied"); got != want {
		w.Errorf("the copy has %q", got)
	}
	if want == "theirs" && failures(result.Status, "member-2")["copied"] == "" {
		w.Errorf("the status does not tell of the copy")
	}
	w.Delete(request.After(result.Status))
	if w.value("member-1", "copied") != "absent" || w.value("member-2", "copied") != want {
		w.Errorf("after the deletion there is %q and %q", w.value("member-1", "copied"), w.value("member-2", "copied"))
	}
}

// A copy in the place of an object that the placement has made, and that somebody has deleted, is none of its own either.
func TestCopyInPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := strategy(w.placing("in-place", configMap("in-place", "placed")), placement.ClientSideApply, placement.TakeOverNever)
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	w.Remove("member-2", "v1 ConfigMap in-place")
	w.copied("in-place")
	result := w.Apply(request.After(status))
	w.Says(failures(result.Status, "member-2")["in-place"], "NotTakenOver")
	w.Delete(request.After(result.Status))
	if w.value("member-1", "in-place") != "absent" || w.value("member-2", "in-place") != "theirs" {
		t.Errorf("after the deletion there is %q and %q", w.value("member-1", "in-place"), w.value("member-2", "in-place"))
	}
}
