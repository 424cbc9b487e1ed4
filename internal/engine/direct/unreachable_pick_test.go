package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestUnreachableMemberIsNoLongerPicked checks that a plan names an unreachable member that a new policy no longer picks, that its objects remain, and that
// they are deleted when the member is reachable again.
func TestUnreachableMemberIsNoLongerPicked(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("leaves", configMap("leaves", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1))}
	undo := w.Inject(clusters.Fault{Context: "member-2", Refuse: true})
	remains := func() bool {
		_, c := w.previewObject(w.Engine(), request, "member-2", "leaves")
		return c.Remains && !c.Picked
	}
	if !remains() {
		t.Error("the plan does not say that the objects on member-2 remain")
	}
	request = request.After(w.Apply(request).Status)
	if !remains() {
		t.Error("the second plan does not say that the objects on member-2 remain")
	}
	undo()
	if o, c := w.previewObject(w.Engine(), request, "member-2", "leaves"); c.Remains || o.Action != takeover.ActionPrune {
		t.Errorf("the plan with member-2: %+v", o)
	}
	w.Apply(request)
	if one, two := w.value("member-1", "leaves"), w.value("member-2", "leaves"); one != "1" || two != "absent" {
		t.Errorf("member-1 has %q, member-2 has %q", one, two)
	}
}
