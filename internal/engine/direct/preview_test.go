package direct_test

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// previewed makes a preview and returns what it says of one object on a cluster, and of the cluster.
func (w *world) previewed(e *direct.Engine, request engine.PlacementRequest, cluster, object string) (engine.ObjectPreview, engine.ClusterPreview) {
	w.t.Helper()
	preview, err := e.Preview(w.t.Context(), request)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range preview.Clusters {
		if c.Name != cluster {
			continue
		}
		for _, o := range c.Objects {
			if o.Name == object {
				return o, c
			}
		}
		return engine.ObjectPreview{}, c
	}
	w.t.Fatalf("the preview does not have the cluster %q", cluster)
	return engine.ObjectPreview{}, engine.ClusterPreview{}
}

// edit changes an object as somebody else.
func (w *world) edit(cluster string, u *unstructured.Unstructured, patch string) {
	w.t.Helper()
	if _, err := w.direct[cluster].Patch(w.t.Context(), kube.RefOf(u), types.MergePatchType, []byte(patch), kube.WriteOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func applied(request engine.PlacementRequest, how placement.ApplyStrategy) engine.PlacementRequest {
	request.Spec.Strategy = &placement.Strategy{ApplyStrategy: &how}
	return request
}

// ReportDiff tells how objects differ and writes to none of them, nor takes any into ownership, so that removing the placement removes
// nothing.
func TestReportDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	there := w.put("member-1", configMap("reported", "theirs"))
	how := placement.ApplyStrategy{Type: placement.ReportDiff}
	request := applied(placing("reported", configMap("reported", "wanted")), how)
	w.deleteAtEnd(request)

	object, _ := w.previewed(w.engine(), request, "member-1", "reported")
	if object.Action != engine.ActionReport || object.Reason != "FoundDiff" {
		t.Errorf("preview: %+v", object)
	}
	w.Reset()
	status := w.apply(request).Status
	for _, r := range w.Requests() {
		if r.Method != http.MethodGet && !r.DryRun && strings.Contains(r.Path, "/namespaces/default/") {
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
	w.idle(after(request, status))

	// A refresh finds the same and keeps the times; another difference keeps the first one.
	recorded, err := w.engine().ReadPlacement(t.Context(), after(request, status))
	if err != nil {
		t.Fatal(err)
	}
	if got := recorded.Status.Clusters["member-1"].DiffedPlacements; len(got) != 1 || got[0].Observation != reported.DiffedPlacements[0].Observation {
		t.Errorf("after a refresh: %+v", got)
	}
	w.edit("member-1", there, `{"data":{"value":"wanted"}}`)
	recorded, err = w.engine().ReadPlacement(t.Context(), after(request, status))
	if err != nil || len(recorded.Status.Clusters["member-1"].DiffedPlacements) != 0 {
		t.Errorf("equal, and still reported: %+v %v", recorded, err)
	}

	w.delete(after(request, status))
	if w.value("member-1", "reported") != "wanted" || w.value("member-2", "reported") != "absent" {
		t.Error("removing a placement that only reports changed something")
	}
}

// What was applied before stays applied, and stays the placement's, while it only reports.
func TestReportDiffAfterApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := placing("paused", configMap("paused-a", "1"), configMap("paused-b", "1"))
	w.deleteAtEnd(request)
	status := w.apply(request).Status

	reporting := applied(after(request, status), placement.ApplyStrategy{Type: placement.ReportDiff})
	reporting.Manifests = map[string]string{"0.yaml": configMap("paused-a", "2")}
	status = w.apply(reporting).Status
	if w.value("member-1", "paused-a") != "1" || w.value("member-1", "paused-b") != "1" {
		t.Error("reporting wrote or removed something")
	}
	if got := status.Clusters["member-1"].DiffedPlacements; len(got) != 1 || got[0].ObservedDiffs[0].ValueInMember != "1" {
		t.Errorf("diffed: %+v", got)
	}
	again := after(request, status)
	again.Manifests = reporting.Manifests
	status = w.apply(again).Status
	w.complete(status)
	if w.value("member-1", "paused-a") != "2" || w.value("member-1", "paused-b") != "absent" {
		t.Error("after reporting, the placement is not as it is to be")
	}
	w.idle(after(again, status))
	w.delete(after(again, status))
	if w.value("member-1", "paused-a") != "absent" {
		t.Error("the placement no longer knows what it made")
	}
}

// IfNotDrifted leaves an object of ours as others have made it, says how it differs, and writes it when the content changes.
func TestIfNotDrifted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	how := placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
	request := applied(placing("drifting", configMap("drifting", "ours")), how)
	w.deleteAtEnd(request)
	status := w.apply(request).Status
	w.complete(status)

	live := w.get("member-1", configMapGVK, "default", "drifting")
	w.edit("member-1", live, `{"data":{"value":"theirs","more":"unmanaged"}}`)
	object, _ := w.previewed(w.engine(), after(request, status), "member-1", "drifting")
	if !object.Drifted() || object.Reason != "FoundDrifts" || object.Pending() {
		t.Errorf("preview: %+v", object)
	}
	status = w.apply(after(request, status)).Status
	if got := w.value("member-1", "drifting"); got != "theirs" {
		t.Errorf("the drifted object is %q", got)
	}
	drifted := status.Clusters["member-1"].DriftedPlacements
	want := placement.PatchDetail{Path: "/data/value", ValueInMember: "theirs", ValueInHub: "ours"}
	if len(drifted) != 1 || len(drifted[0].ObservedDrifts) != 1 || drifted[0].ObservedDrifts[0] != want {
		t.Errorf("drifted: %+v", drifted)
	}
	says(t, failures(status, "member-1")["drifting"], "FoundDrifts", "drifts are found between the manifest and the object from the member cluster")

	changed := after(request, status)
	changed.Manifests = map[string]string{"0.yaml": configMap("drifting", "new")}
	status = w.apply(changed).Status
	w.complete(status)
	if got := w.value("member-1", "drifting"); got != "new" {
		t.Errorf("after a change of the content the object is %q", got)
	}
	if got := status.Clusters["member-1"].DriftedPlacements; len(got) != 0 {
		t.Errorf("drifted still: %+v", got)
	}
}

// A full comparison tells what others have added to an object of ours, and applies it nevertheless.
func TestDriftUnderFullComparison(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	how := placement.ApplyStrategy{ComparisonOption: placement.FullComparison}
	request := applied(placing("added", configMap("added", "ours")), how)
	w.deleteAtEnd(request)
	status := w.apply(request).Status
	w.complete(status)
	w.edit("member-1", w.get("member-1", configMapGVK, "default", "added"), `{"metadata":{"labels":{"extra":"theirs"}}}`)
	recorded, err := w.engine().ReadPlacement(t.Context(), after(request, status))
	if err != nil {
		t.Fatal(err)
	}
	for name, status := range map[string]placement.Status{"refresh": recorded.Status, "apply": w.apply(after(request, status)).Status} {
		w.complete(status)
		got := status.Clusters["member-1"].DriftedPlacements
		want := placement.PatchDetail{Path: "/metadata/labels/extra", ValueInMember: "theirs"}
		if len(got) != 1 || len(got[0].ObservedDrifts) != 1 || got[0].ObservedDrifts[0] != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// An apply takes nothing over that the agreed preview did not show as it is.
func TestExpectedPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := placing("agreed", configMap("agreed-absent", "ours"), configMap("agreed-equal", "ours"), configMap("agreed-known", "ours"),
		configMap("agreed-changed", "ours"))
	w.deleteAtEnd(request)
	equal := w.put("member-1", configMap("agreed-equal", "ours"))
	w.put("member-1", configMap("agreed-known", "theirs"))
	changed := w.put("member-1", configMap("agreed-changed", "theirs"))
	preview, err := w.engine().Preview(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if request.Expected, err = engine.ParseExpectation(engine.Expect(preview).String()); err != nil {
		t.Fatal(err)
	}

	w.put("member-1", configMap("agreed-absent", "theirs"))
	w.edit("member-1", equal, `{"data":{"value":"different"}}`)
	w.edit("member-1", changed, `{"data":{"value":"different"}}`)
	status := w.apply(request).Status
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
	says(t, failed["agreed-absent"], "FailedToTakeOver", "has appeared on the cluster since the preview")
	says(t, failed["agreed-equal"], "FailedToTakeOver", "is no longer")
	says(t, failed["agreed-changed"], "FailedToTakeOver", "has changed since the preview")
	if len(failed) != 3 {
		t.Errorf("failed: %v", failed)
	}

	// Without an expectation the mode decides alone.
	request = after(request, status)
	request.Expected = nil
	w.complete(w.apply(request).Status)
}

// Who may only read gets a preview from what can be read; who may write gets the API server's own answer.
func TestLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("member-1", configMap("looked", "theirs"))
	unchangeable := w.put("member-1", `{apiVersion: v1, kind: ConfigMap, metadata: {name: looked-immutable, namespace: default}, data: {a: "1"}, immutable: true}`)
	request := placing("looked", configMap("looked", "ours"),
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: looked-immutable, namespace: default}, data: {a: "2"}, immutable: true}`)
	w.deleteAtEnd(request)

	object, cluster := w.previewed(w.engine(), request, "member-1", "looked")
	if cluster.Look != engine.LookDryRun || object.Action != engine.ActionTakeOver || len(object.Differences) != 1 {
		t.Errorf("who may write: %s %+v", cluster.Look, object)
	}
	object, _ = w.previewed(w.engine(), request, "member-1", "looked-immutable")
	if !object.Rejected() || !object.Pending() {
		t.Errorf("the API server's refusal is not foreseen: %+v", object)
	}
	predicted := object.Message
	says(t, predicted, "immutable")

	readers := map[string]*kube.Cluster{}
	for _, name := range env.Members {
		if !env.Has(clusters.Readonly(name)) {
			t.Fatal("these clusters have no read-only user")
		}
		readers[name] = kube.NewCluster(name, connection.Connection{ConfigPath: env.Kubeconfig, ConfigContext: clusters.Readonly(name)}, kube.Options{QPS: -1}, nil)
	}
	reader := direct.New(direct.Config{Members: readers})
	object, cluster = w.previewed(reader, request, "member-1", "looked")
	if cluster.Look != engine.LookReadOnly || object.Action != engine.ActionTakeOver || len(object.Differences) != 1 {
		t.Errorf("who may read: %s %+v", cluster.Look, object)
	}
	for name, reader := range readers {
		if stats := reader.Stats(); stats.DryRuns != 0 || stats.Writes != 0 {
			t.Errorf("%s: requests that are not allowed: %+v", name, stats)
		}
	}

	status := w.apply(request).Status
	if got := failures(status, "member-1")["looked-immutable"]; got != "ManifestApplyFailed: "+predicted {
		t.Errorf("foreseen was %q, and it is %q", predicted, got)
	}
	w.drop("member-1", unchangeable)
}
