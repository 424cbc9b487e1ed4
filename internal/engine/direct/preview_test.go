package direct_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestReportDiff checks that ReportDiff reports differences and neither writes nor takes over any object, so that removing the placement deletes nothing.
func TestReportDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put("member-1", configMap("reported", "theirs"))
	how := placement.ApplyStrategy{Type: placement.ReportDiff}
	request := w.newRequest("reported", configMap("reported", "wanted")).Strategy(how)
	w.DeleteAtEnd(request)

	object, _ := w.previewObject(w.Engine(), request, "member-1", "reported")
	if object.Action != takeover.ActionReport || object.Reason != "FoundDiff" {
		t.Errorf("preview: %+v", object)
	}
	w.Reset()
	status := w.Apply(request).Status
	for _, r := range w.Requests() {
		if r.Method != http.MethodGet && !r.DryRun && strings.Contains(r.Path, "/namespaces/"+w.Name+"/") {
			t.Errorf("%s %s", r.Method, r.Path)
		}
	}
	reported := status.Clusters["member-1"]
	if c, _ := reported.Condition(placement.DiffReported); c.Status != placement.True || c.Reason != "AllWorkHaveDiffReported" {
		t.Errorf("conditions: %+v", reported.Conditions)
	}
	if _, found := reported.Condition(placement.Applied); found {
		t.Error("something counts as applied")
	}
	want := placement.PatchDetail{Path: "/data/value", ValueInMember: "theirs", ValueInHub: "wanted"}
	if len(reported.DiffedPlacements) != 1 || len(reported.DiffedPlacements[0].ObservedDiffs) != 1 || reported.DiffedPlacements[0].ObservedDiffs[0] != want {
		t.Errorf("diffed: %+v", reported.DiffedPlacements)
	}
	absent := status.Clusters["member-2"].DiffedPlacements
	if len(absent) != 1 || len(absent[0].ObservedDiffs) != 1 || absent[0].ObservedDiffs[0] != (placement.PatchDetail{Path: "/", ValueInHub: "(the whole object)"}) {
		t.Errorf("absent: %+v", absent)
	}
	w.checkIdle(request.After(status))

	// A refresh finds the same differences and keeps their times.
	recorded, err := request.After(status).Read(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if got := recorded.Status.Clusters["member-1"].DiffedPlacements; len(got) != 1 || got[0].Observation != reported.DiffedPlacements[0].Observation {
		t.Errorf("after a refresh: %+v", got)
	}
	w.Edit("member-1", "v1 ConfigMap reported", `{"data":{"value":"wanted"}}`)
	recorded, err = request.After(status).Read(t.Context(), w.Engine())
	if err != nil || len(recorded.Status.Clusters["member-1"].DiffedPlacements) != 0 {
		t.Errorf("still reported although equal: %+v %v", recorded, err)
	}

	w.Delete(request.After(status))
	if w.value("member-1", "reported") != "wanted" || w.value("member-2", "reported") != "absent" {
		t.Error("removing a placement that only reports changed something")
	}
}

// TestReportDiffAfterApply checks that applied objects remain on the cluster, and remain the placement's, under ReportDiff.
func TestReportDiffAfterApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("paused", configMap("paused-a", "1"), configMap("paused-b", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status

	reporting := request.After(status).Strategy(placement.ApplyStrategy{Type: placement.ReportDiff})
	reporting.Manifests = w.Manifests(configMap("paused-a", "2"))
	status = w.Apply(reporting).Status
	if w.value("member-1", "paused-a") != "1" || w.value("member-1", "paused-b") != "1" {
		t.Error("ReportDiff wrote or removed an object")
	}
	if got := status.Clusters["member-1"].DiffedPlacements; len(got) != 1 || got[0].ObservedDiffs[0].ValueInMember != "1" {
		t.Errorf("diffed: %+v", got)
	}
	again := request.After(status)
	again.Manifests = reporting.Manifests
	status = w.Apply(again).Status
	w.checkComplete(status)
	if w.value("member-1", "paused-a") != "2" || w.value("member-1", "paused-b") != "absent" {
		t.Error("after ReportDiff, the placement is not applied")
	}
	w.checkIdle(again.After(status))
	w.Delete(again.After(status))
	if w.value("member-1", "paused-a") != "absent" {
		t.Error("the placement has lost the ownership of its objects")
	}
}

// TestIfNotDrifted checks that IfNotDrifted does not revert changes of others to a placed object, reports them, and writes the object when its content changes.
func TestIfNotDrifted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	how := placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
	request := w.newRequest("drifting", configMap("drifting", "ours")).Strategy(how)
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	w.checkComplete(status)

	w.Edit("member-1", "v1 ConfigMap drifting", `{"data":{"value":"theirs","more":"unmanaged"}}`)
	object, _ := w.previewObject(w.Engine(), request.After(status), "member-1", "drifting")
	if object.Action != takeover.ActionLeaveDrifted || object.Reason != "FoundDrifts" || object.Pending() {
		t.Errorf("preview: %+v", object)
	}
	status = w.Apply(request.After(status)).Status
	if got := w.value("member-1", "drifting"); got != "theirs" {
		t.Errorf("the drifted object is %q", got)
	}
	drifted := status.Clusters["member-1"].DriftedPlacements
	want := placement.PatchDetail{Path: "/data/value", ValueInMember: "theirs", ValueInHub: "ours"}
	if len(drifted) != 1 || len(drifted[0].ObservedDrifts) != 1 || drifted[0].ObservedDrifts[0] != want {
		t.Errorf("drifted: %+v", drifted)
	}
	w.Contains(failures(status, "member-1")["drifting"], "FoundDrifts", "drifts are found between the manifest and the object from the member cluster")

	changed := request.After(status)
	changed.Manifests = w.Manifests(configMap("drifting", "new"))
	status = w.Apply(changed).Status
	w.checkComplete(status)
	if got := w.value("member-1", "drifting"); got != "new" {
		t.Errorf("after a change of the content the object is %q", got)
	}
	if got := status.Clusters["member-1"].DriftedPlacements; len(got) != 0 {
		t.Errorf("still drifted: %+v", got)
	}
}

// TestDriftUnderFullComparison checks that a full comparison reports fields that others have added to a placed object, and applies the object nevertheless.
func TestDriftUnderFullComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	how := placement.ApplyStrategy{ComparisonOption: placement.FullComparison}
	request := w.newRequest("added", configMap("added", "ours")).Strategy(how)
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	w.checkComplete(status)
	w.Edit("member-1", "v1 ConfigMap added", `{"metadata":{"labels":{"extra":"theirs"}}}`)
	recorded, err := request.After(status).Read(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	for name, status := range map[string]placement.Status{"refresh": recorded.Status, "apply": w.Apply(request.After(status)).Status} {
		w.checkComplete(status)
		got := status.Clusters["member-1"].DriftedPlacements
		want := placement.PatchDetail{Path: "/metadata/labels/extra", ValueInMember: "theirs"}
		if len(got) != 1 || len(got[0].ObservedDrifts) != 1 || got[0].ObservedDrifts[0] != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestExpectedPreview checks that an apply does not take over an object that differs from the approved preview.
func TestExpectedPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("agreed", configMap("agreed-absent", "ours"), configMap("agreed-equal", "ours"), configMap("agreed-known", "ours"),
		configMap("agreed-changed", "ours"))
	w.DeleteAtEnd(request)
	w.Put("member-1", configMap("agreed-equal", "ours"))
	w.Put("member-1", configMap("agreed-known", "theirs"))
	w.Put("member-1", configMap("agreed-changed", "theirs"))
	preview, err := request.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if request.Expected, err = engine.ParseExpectation(engine.Expect(preview).String()); err != nil {
		t.Fatal(err)
	}

	w.Put("member-1", configMap("agreed-absent", "theirs"))
	w.Edit("member-1", "v1 ConfigMap agreed-equal", `{"data":{"value":"different"}}`)
	w.Edit("member-1", "v1 ConfigMap agreed-changed", `{"data":{"value":"different"}}`)
	status := w.Apply(request).Status
	for name, want := range map[string]string{
		"agreed-absent": "theirs", "agreed-equal": "different", "agreed-changed": "different", "agreed-known": "ours",
	} {
		if got := w.value("member-1", name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		if got := w.value("member-2", name); got != "ours" {
			t.Errorf("%s is %q on the other member", name, got)
		}
	}
	failed := failures(status, "member-1")
	w.Contains(failed["agreed-absent"], "FailedToTakeOver", "did not show the takeover")
	w.Contains(failed["agreed-equal"], "FailedToTakeOver", "was equal")
	w.Contains(failed["agreed-changed"], "FailedToTakeOver", "has changed or been replaced since the plan")
	if len(failed) != 3 {
		t.Errorf("failed: %v", failed)
	}

	// Without an approved preview, only the takeover mode counts.
	request = request.After(status)
	request.Expected = nil
	w.checkComplete(w.Apply(request).Status)
}

// TestCheckMethods checks that a read-only account gets a preview from reads, and an account with write access gets one from server-side dry runs.
func TestCheckMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	w.Put("member-1", configMap("looked", "theirs"))
	w.Put("member-1", `{apiVersion: v1, kind: ConfigMap, metadata: {name: looked-immutable}, data: {a: "1"}, immutable: true}`)
	request := w.newRequest("looked", configMap("looked", "ours"),
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: looked-immutable}, data: {a: "2"}, immutable: true}`)
	w.DeleteAtEnd(request)

	object, cluster := w.previewObject(w.Engine(), request, "member-1", "looked")
	if cluster.CheckMethod != engine.CheckDryRun || object.Action != takeover.ActionTakeOver || len(object.Differences) != 1 {
		t.Errorf("who may write: %s %+v", cluster.CheckMethod, object)
	}
	object, _ = w.previewObject(w.Engine(), request, "member-1", "looked-immutable")
	if !object.Rejected() || !object.Pending() {
		t.Errorf("the API server's rejection is not predicted: %+v", object)
	}
	predicted := object.Message
	w.Contains(predicted, "immutable")

	clients, ok := w.Readers(enginetest.Access{})
	if !ok {
		t.Skip("these clusters have no read-only user")
	}
	reader := subject.New(clients)
	object, cluster = w.previewObject(reader, request, "member-1", "looked")
	if cluster.CheckMethod != engine.CheckReadOnly || object.Action != takeover.ActionTakeOver || len(object.Differences) != 1 {
		t.Errorf("who may read: %s %+v", cluster.CheckMethod, object)
	}
	if stats := clients.Stats(); stats.DryRuns != 0 || stats.Writes != 0 {
		t.Errorf("requests that are not allowed: %+v", stats)
	}

	status := w.Apply(request).Status
	if got := failures(status, "member-1")["looked-immutable"]; got != "ManifestApplyFailed: "+predicted {
		t.Errorf("got %q, predicted %q", got, predicted)
	}
}
