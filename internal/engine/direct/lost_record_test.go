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

// What a placement has on a member whose record is gone is not deleted by a destroy, because nobody knows any more who made it, and it is named.
// The manifests that were kept beside the record go.
func TestDeleteWithoutRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("unrecorded", configMap("unrecorded", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	w.Remove("member-1", record("ConfigMap", "unrecorded"))
	result := w.Delete(request.After(status))
	w.Says(strings.Join(result.Warnings, "\n"), "record of the placement", "missing on the member \"member-1\"", "unrecorded", "kubectl get KIND", partOf+"=")
	if w.value("member-1", "unrecorded") != "1" || w.value("member-2", "unrecorded") != "absent" {
		t.Errorf("there is %s and %s", w.value("member-1", "unrecorded"), w.value("member-2", "unrecorded"))
	}
	if w.Find("member-1", record("Secret", "unrecorded")) != nil {
		t.Error("the manifests are left")
	}
}

// A placement whose records are all gone is not forgotten while its objects are there: the next apply records them anew.
func TestAllRecordsAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("forgotten", configMap("forgotten", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	for _, member := range w.Members {
		w.Remove(member, record("ConfigMap", "forgotten"))
	}
	recorded, err := request.After(status).Read(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.Says(recorded.Warning, "records have been deleted", "member-1", "ConfigMap", "carry its label")
	result := w.Apply(request.After(recorded.Status))
	w.complete(result.Status)
	w.idle(request.After(result.Status))
	if !w.inventory("member-1", "forgotten")["ConfigMap forgotten"].Adopted {
		t.Error("an object of which nobody knows who made it counts as created")
	}
}

// envelope is the text of an envelope with a Secret.
const envelope = `{apiVersion: v1, kind: ConfigMap, metadata: {name: wrapped, annotations: {kubernetes-fleet.io/envelope-configmap: "true"}}, data: {
  secret.yaml: '{apiVersion: v1, kind: Secret, metadata: {name: inside, namespace: $ns}, stringData: {a: b}}'}}`

// The plan of a destroy says that a member's record is missing, and names what is found there by the label: also what came in an envelope, which no
// status has. The kinds that could not be looked through are told.
func TestPlannedDeleteWithoutRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.placing("missed", configMap("missed", "1"), envelope)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Remove("member-1", record("ConfigMap", "missed"))
	foreseen := func() engine.ClusterPreview {
		preview, err := request.PreviewDelete(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		return preview.Clusters[0]
	}
	cluster := foreseen()
	if !cluster.RecordLost || len(cluster.Unlooked) > 0 || len(cluster.Objects) != 2 {
		t.Errorf("foreseen: %+v", cluster)
	}
	for _, object := range cluster.Objects {
		if object.Action != takeover.ActionNone || object.Obstacle != takeover.ObstacleNotOwned || !object.Exists {
			t.Errorf("foreseen: %+v", object)
		}
	}
	undo := w.Inject(clusters.Fault{Match: onPath("member-1", http.MethodGet, "/api/v1/secrets"), Status: http.StatusForbidden})
	if cluster = foreseen(); !slices.Equal(cluster.Unlooked, []string{"Secret"}) || len(cluster.Objects) != 1 {
		t.Errorf("where Secrets may not be listed: %+v", cluster)
	}
	undo()
	result := w.Delete(request)
	w.Says(strings.Join(result.Warnings, "\n"), "missing on the member \"member-1\"", "2 object(s)", "missed", "inside")
	if w.Find("member-1", "v1 Secret inside") == nil || w.Find("member-2", "v1 Secret inside") != nil {
		t.Error("the Secret is gone from member-1, or left on member-2")
	}
}

// What leaves the configuration while a member's record is missing stays there, and the plan and the apply name it.
func TestObjectLeavesWithoutRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.placing("parting", configMap("parting-a", "1"), configMap("parting-b", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Remove("member-1", record("ConfigMap", "parting"))
	request.Manifests = w.Manifests(configMap("parting-a", "1"))
	object, cluster := w.previewed(w.Engine(), request, "member-1", "parting-b")
	if object.Action != takeover.ActionNone || object.Obstacle != takeover.ObstacleNotOwned || !cluster.RecordLost {
		t.Errorf("foreseen: %+v, record lost: %t", object, cluster.RecordLost)
	}
	result := w.Apply(request)
	w.complete(result.Status)
	w.Says(strings.Join(result.Warnings, "\n"), "missing on the member \"member-1\"", "1 object(s)", "parting-b")
	if w.value("member-1", "parting-b") != "1" || w.value("member-2", "parting-b") != "absent" {
		t.Errorf("there is %s and %s", w.value("member-1", "parting-b"), w.value("member-2", "parting-b"))
	}
	if got := keys(w.inventory("member-1", "parting")); len(got) != 1 {
		t.Errorf("the inventory has %v", got)
	}
	w.idle(request.After(result.Status))
}

// What was recorded anew after the record was lost is named by a destroy, which leaves it, with the reason.
func TestDeleteAfterLostRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	w.Put("member-1", configMap("anew-there", "1"))
	request := w.placing("anew", configMap("anew", "1"), configMap("anew-there", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Remove("member-1", record("ConfigMap", "anew"))
	request = request.After(w.Apply(request).Status)
	request = request.After(w.Apply(request).Status)
	preview, err := request.PreviewDelete(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range preview.Clusters[0].Objects {
		if w.Says(object.Problem, "record that told who made it was lost"); object.Action != takeover.ActionOrphan {
			t.Errorf("foreseen: %+v", object)
		}
	}
	result := w.Delete(request)
	w.Says(strings.Join(result.Warnings, "\n"), "Cluster \"member-1\"", "2 object(s) stay", "record that told who made them was lost", "anew-there")
	if w.value("member-1", "anew") != "1" || w.value("member-2", "anew") != "absent" {
		t.Errorf("there is %s and %s", w.value("member-1", "anew"), w.value("member-2", "anew"))
	}
}

// All records of a member are lost, its membership included: what the placement has there is not forgotten without a word. A refresh keeps the
// member, the plan names what is left there, and the apply that gives it up says so.
func TestMemberWithoutRecordsIsNotForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := newWorld(t)
	request := w.placing("silent", configMap("silent", "1"), "{apiVersion: v1, kind: Secret, metadata: {name: silent, namespace: $ns}}")
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
	object, cluster := w.previewed(w.Engine(), request, "member-2", "silent")
	if !cluster.Resume || object.Action != takeover.ActionNone || object.Obstacle == takeover.ObstacleNone {
		t.Errorf("the preview is %+v of %+v", object, cluster)
	}
	result := w.Apply(request)
	w.Says(strings.Join(result.Warnings, "\n"), "missing on the member \"member-2\"", "2 object(s)", "were left behind", "kubectl get KIND")
	if _, there := result.Status.Clusters["member-2"]; there {
		t.Error("the status still has member-2")
	}
	if w.Find("member-2", record("Secret", "silent")) != nil {
		t.Error("the manifests are left on member-2")
	}
	request = request.After(result.Status)
	w.idle(request)
	if recorded, err := request.Read(t.Context(), w.Engine()); err != nil || len(recorded.Status.Clusters) != len(w.Members)-1 {
		t.Errorf("%v, %v", recorded, err)
	}
}
