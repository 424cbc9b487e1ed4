package direct_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestDeleteWithoutRecord checks that a destroy does not delete, but reports, the objects on a member whose record is lost, because their creator is unknown.
// It deletes the stored manifests.
func TestDeleteWithoutRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("unrecorded", configMap("unrecorded", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	w.Remove("member-1", record("ConfigMap", "unrecorded"))
	result := w.Delete(request.After(status))
	w.Contains(strings.Join(result.Warnings, "\n"), "record of the placement", "missing on the member \"member-1\"", "unrecorded", "kubectl get KIND", partOf+"=")
	if w.value("member-1", "unrecorded") != "1" || w.value("member-2", "unrecorded") != "absent" {
		t.Errorf("the values are %s and %s", w.value("member-1", "unrecorded"), w.value("member-2", "unrecorded"))
	}
	if w.Find("member-1", record("Secret", "unrecorded")) != nil {
		t.Error("the manifests remain")
	}
}

// TestAllRecordsAreGone checks that a placement whose records are all lost stays in the state while its objects exist, and that the next apply records them
// again.
func TestAllRecordsAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("unrecorded", configMap("unrecorded", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	for _, member := range w.Members {
		w.Remove(member, record("ConfigMap", "unrecorded"))
	}
	recorded, err := request.After(status).Read(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.Contains(recorded.Warning, "records have been deleted", "member-1", "ConfigMap", "carry its label")
	result := w.Apply(request.After(recorded.Status))
	w.checkComplete(result.Status)
	w.checkIdle(request.After(result.Status))
	if !w.inventory("member-1", "unrecorded")["ConfigMap unrecorded"].Adopted {
		t.Error("an object with an unknown creator counts as created by the placement")
	}
}

// envelope is the manifest of an envelope with a Secret.
const envelope = `{apiVersion: v1, kind: ConfigMap, metadata: {name: wrapped, annotations: {kubernetes-fleet.io/envelope-configmap: "true"}}, data: {
  secret.yaml: '{apiVersion: v1, kind: Secret, metadata: {name: inside, namespace: $ns}, stringData: {a: b}}'}}`

// TestPlannedDeleteWithoutRecord checks that the plan of a destroy reports a missing record, the objects found by the label, and the kinds that could not be
// listed. The objects include one from an envelope, which the status does not list.
func TestPlannedDeleteWithoutRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("missed", configMap("missed", "1"), envelope)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Remove("member-1", record("ConfigMap", "missed"))
	predict := func() engine.ClusterPreview {
		preview, err := request.PreviewDelete(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		return preview.Clusters[0]
	}
	cluster := predict()
	if !cluster.RecordLost || len(cluster.UnsearchedKinds) > 0 || len(cluster.Objects) != 2 {
		t.Errorf("predicted: %+v", cluster)
	}
	for _, object := range cluster.Objects {
		if object.Action != takeover.ActionNone || object.Obstacle != takeover.ObstacleNotOwned || !object.Exists {
			t.Errorf("predicted: %+v", object)
		}
	}
	undo := w.Inject(clusters.Fault{Match: onPath("member-1", http.MethodGet, "/api/v1/secrets"), Status: http.StatusForbidden})
	if cluster = predict(); !slices.Equal(cluster.UnsearchedKinds, []string{"Secret"}) || len(cluster.Objects) != 1 {
		t.Errorf("where Secrets may not be listed: %+v", cluster)
	}
	undo()
	result := w.Delete(request)
	w.Contains(strings.Join(result.Warnings, "\n"), "missing on the member \"member-1\"", "2 object(s)", "missed", "inside")
	if w.Find("member-1", "v1 Secret inside") == nil || w.Find("member-2", "v1 Secret inside") != nil {
		t.Error("the Secret was deleted from member-1, or remains on member-2")
	}
}

// TestObjectLeavesWithoutRecord checks that an object removed from the configuration while the record is missing remains on the member, and that the plan and
// the apply report it.
func TestObjectLeavesWithoutRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("parting", configMap("parting-a", "1"), configMap("parting-b", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Remove("member-1", record("ConfigMap", "parting"))
	request.Manifests = w.Manifests(configMap("parting-a", "1"))
	object, cluster := w.previewObject(w.Engine(), request, "member-1", "parting-b")
	if object.Action != takeover.ActionNone || object.Obstacle != takeover.ObstacleNotOwned || !cluster.RecordLost {
		t.Errorf("predicted: %+v, record lost: %t", object, cluster.RecordLost)
	}
	result := w.Apply(request)
	w.checkComplete(result.Status)
	w.Contains(strings.Join(result.Warnings, "\n"), "missing on the member \"member-1\"", "1 object(s)", "parting-b")
	if w.value("member-1", "parting-b") != "1" || w.value("member-2", "parting-b") != "absent" {
		t.Errorf("the values are %s and %s", w.value("member-1", "parting-b"), w.value("member-2", "parting-b"))
	}
	if got := keys(w.inventory("member-1", "parting")); len(got) != 1 {
		t.Errorf("the inventory has %v", got)
	}
	w.checkIdle(request.After(result.Status))
}

// TestDeleteAfterLostRecord checks that a destroy does not delete, but reports with the reason, objects that were recorded again after the record was lost.
func TestDeleteAfterLostRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	w.Put("member-1", configMap("again-there", "1"))
	request := w.newRequest("again", configMap("again", "1"), configMap("again-there", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Remove("member-1", record("ConfigMap", "again"))
	request = request.After(w.Apply(request).Status)
	request = request.After(w.Apply(request).Status)
	preview, err := request.PreviewDelete(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range preview.Clusters[0].Objects {
		if w.Contains(object.Problem, "the record of who created it was lost"); object.Action != takeover.ActionOrphan {
			t.Errorf("predicted: %+v", object)
		}
	}
	result := w.Delete(request)
	w.Contains(strings.Join(result.Warnings, "\n"), "Cluster \"member-1\"", "2 object(s) remain", "the record of who created them was lost", "again-there")
	if w.value("member-1", "again") != "1" || w.value("member-2", "again") != "absent" {
		t.Errorf("the values are %s and %s", w.value("member-1", "again"), w.value("member-2", "again"))
	}
}

// TestRemovedClusters checks that a removal returns the members from which it removed the placement completely. A member with a record from a backup is not
// among them, because objects that this record does not list may remain there.
func TestRemovedClusters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("outdated", configMap("outdated", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	restore := w.backup("member-1", "outdated")
	request.Manifests = w.Manifests(configMap("outdated", "1"), configMap("outdated-more", "1"))
	request = request.After(w.Apply(request).Status)
	restore()
	result := w.Delete(request)
	if slices.Contains(result.Removed, "member-1") || !slices.Contains(result.Removed, "member-2") {
		t.Errorf("removed from %q", result.Removed)
	}
	if w.value("member-1", "outdated-more") != "1" {
		t.Error("the removal deletes an object that it does not know")
	}
}

// TestMemberWithoutRecordsIsNotForgotten checks that objects on a member that has lost all records, including its registration, are reported. A refresh keeps
// the member in the state, the plan names the remaining objects, and so does the apply that removes the member from the state.
func TestMemberWithoutRecordsIsNotForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := newWorld(t)
	request := w.newRequest("silent", configMap("silent", "1"), "{apiVersion: v1, kind: Secret, metadata: {name: silent, namespace: $ns}}")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.leave()
	w.Remove("member-2", record("ConfigMap", "silent"))
	for range 2 {
		recorded, err := request.Read(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		request = request.After(recorded.Status)
	}
	object, cluster := w.previewObject(w.Engine(), request, "member-2", "silent")
	if !cluster.Resume || object.Action != takeover.ActionNone || object.Obstacle == takeover.ObstacleNone {
		t.Errorf("the preview is %+v of %+v", object, cluster)
	}
	result := w.Apply(request)
	w.Contains(strings.Join(result.Warnings, "\n"), "missing on the member \"member-2\"", "2 object(s)", "remain there", "kubectl get KIND")
	if _, there := result.Status.Clusters["member-2"]; there {
		t.Error("member-2 is still in the status")
	}
	if w.Find("member-2", record("Secret", "silent")) != nil {
		t.Error("the manifests remain on member-2")
	}
	request = request.After(result.Status)
	w.checkIdle(request)
	if recorded, err := request.Read(t.Context(), w.Engine()); err != nil || len(recorded.Status.Clusters) != len(w.Members)-1 {
		t.Errorf("%v, %v", recorded, err)
	}
}
