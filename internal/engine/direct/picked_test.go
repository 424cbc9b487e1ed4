package direct_test

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestPickThatWasNotShown checks that an apply places nothing if it picks a cluster that its plan does not show as picked.
func TestPickThatWasNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("picked", configMap("picked", "1"))
	w.DeleteAtEnd(request)
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}}
	request.Expected = w.expect(request)
	request.Spec.Policy.ClusterNames = w.Members
	w.Reset()
	_, err := request.Apply(t.Context(), w.Engine())
	if err == nil || !strings.Contains(err.Error(), `cluster "member-2"`) || !strings.Contains(err.Error(), "did not show it as picked") {
		t.Errorf("%v", err)
	}
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("something was written: %v", writes)
	}
}
