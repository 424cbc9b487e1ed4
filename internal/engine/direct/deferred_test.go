package direct_test

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// expect returns the digest of a preview of the request.
func (w *world) expect(request enginetest.Request) *engine.Expectation {
	w.Helper()
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	out, err := engine.ParseExpectation(engine.Expect(preview).String())
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// TestDeletionIsNotShown checks that an object whose deletion the plan did not show remains and is reported, and that the next apply whose plan shows it
// prunes it.
func TestDeletionIsNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("unshown", configMap("unshown-a", "1"), configMap("unshown-b", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	request.Manifests = w.Manifests(configMap("unshown-a", "2"), configMap("unshown-b", "1"))
	request.Expected = w.expect(request)
	request.Manifests = w.Manifests(configMap("unshown-a", "2"))

	object, cluster := w.previewObject(w.Engine(), request, "member-1", "unshown-b")
	if object.Action != takeover.ActionDefer || object.Obstacle != takeover.ObstacleNotAgreed || !cluster.Picked {
		t.Errorf("predicted: %+v", object)
	}
	result := w.Apply(request)
	w.Contains(strings.Join(result.Warnings, "\n"), "member-1", "member-2", "unshown-b stays on the cluster", "the next apply deletes it")
	for _, member := range w.Members {
		if w.value(member, "unshown-a") != "2" || w.value(member, "unshown-b") != "1" {
			t.Errorf("%s has %s and %s", member, w.value(member, "unshown-a"), w.value(member, "unshown-b"))
		}
		if got := w.inventory(member, "unshown")["ConfigMap unshown-b"]; got.UID == "" || got.Adopted {
			t.Errorf("%s: the inventory has the entry %+v of the remaining object", member, got)
		}
	}

	request = request.After(result.Status)
	if preview, err := request.Preview(t.Context(), w.Engine()); err != nil || !preview.Pending() {
		t.Errorf("the deferred deletion is not pending: %v", err)
	}
	request.Expected = nil
	if object, _ = w.previewObject(w.Engine(), request, "member-1", "unshown-b"); object.Action != takeover.ActionPrune {
		t.Errorf("the next plan shows %+v", object)
	}
	request.Expected = w.expect(request)
	result = w.Apply(request)
	w.checkComplete(result.Status)
	for _, member := range w.Members {
		if w.value(member, "unshown-b") != "absent" || len(w.inventory(member, "unshown")) != 1 {
			t.Errorf("%s has %s, the inventory %v", member, w.value(member, "unshown-b"), keys(w.inventory(member, "unshown")))
		}
	}
	w.checkIdle(request.After(result.Status))
}

// TestDeletionOnUnseenCluster checks that an apply deletes nothing on a cluster that the preview could not check.
func TestDeletionOnUnseenCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("unlooked", configMap("unlooked-a", "1"), configMap("unlooked-b", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	request.Manifests = w.Manifests(configMap("unlooked-a", "1"))
	undo := w.Inject(clusters.Fault{Context: "member-2", Refuse: true})
	request.Expected = w.expect(request)
	undo()
	result := w.Apply(request)
	if w.value("member-1", "unlooked-b") != "absent" || w.value("member-2", "unlooked-b") != "1" {
		t.Errorf("the values are %s and %s", w.value("member-1", "unlooked-b"), w.value("member-2", "unlooked-b"))
	}
	w.Contains(strings.Join(result.Warnings, "\n"), "member-2", "unlooked-b stays on the cluster")
	request = request.After(result.Status)
	request.Expected = nil
	request.Expected = w.expect(request)
	w.Apply(request)
	if w.value("member-2", "unlooked-b") != "absent" {
		t.Error("the object whose deletion the second plan showed still exists")
	}
}
