package hubs

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestRemovalThatTimedOut checks that a placement whose removal timed out exists, with its remaining objects, until its members are clean, and that the next
// removal waits for that. A placement that another user has deleted counts as gone.
func TestRemovalThatTimedOut(t *testing.T) {
	h := newHub(t)
	h.join(h.engine())
	h.put(content("unclean"))
	p := h.place(h.engine(), placing("unclean"))
	h.agents.Pause(memberName)
	t.Cleanup(func() { h.agents.Resume(memberName) })
	result, err := h.deleteInVain(p)
	if err == nil || result == nil || !result.TimedOut {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := h.engine().ReadPlacement(t.Context(), p); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("one that is gone: %v", err)
	}
	p.Prior.Removing = true
	recorded, err := h.engine().ReadPlacement(t.Context(), p)
	if err != nil || !recorded.Status.Removing || !strings.Contains(recorded.Warning, memberName) {
		t.Errorf("%+v, %v", recorded, err)
	}
	preview, err := h.engine().PreviewDelete(t.Context(), p, engine.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	isMember := func(c engine.ClusterPreview) bool { return c.Name == memberName }
	if at := slices.IndexFunc(preview.Clusters, isMember); at < 0 {
		t.Errorf("%s is not in the preview: %+v", memberName, preview.Clusters)
	} else if c := preview.Clusters[at]; len(c.Objects) != 2 || c.Objects[0].Action != takeover.ActionPrune {
		t.Errorf("predicted to be deleted: %+v", c)
	}
	h.agents.Resume(memberName)
	if _, err := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{}); err != nil {
		t.Error(err, h.agents.LastError())
	}
	if _, err := h.engine().ReadPlacement(t.Context(), p); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("once the member is clean: %v", err)
	}
}

// TestLostDeletion checks that a removal returns a result together with its error if the response to the deletion is lost: the hub may have deleted the
// placement.
func TestLostDeletion(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.put(`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacement, metadata: {name: lost-deletion},
 spec: {resourceSelectors: [{group: "", version: v1, kind: Namespace, name: lost-deletion}]}}`)
	struck := h.strike(clusters.Fault{LoseResponse: true}, 1, clusters.Writes)
	if result, err := h.engine().DeletePlacement(t.Context(), placing("lost-deletion"), engine.DeleteOptions{}); err == nil || result == nil || !struck() {
		t.Errorf("%+v, %v", result, err)
	}
}
