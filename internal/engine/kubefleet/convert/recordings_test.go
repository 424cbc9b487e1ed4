package convert

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// recording is a placement as it was sent to a real hub, as the hub stored it, and the statuses that the hub reported.
type recording struct {
	Sent, Stored, Final                          map[string]any
	Timeline                                     []struct{ Status map[string]any }
	Bindings, PolicySnapshots, ResourceSnapshots []map[string]any
}

// TestRecordedPlacements checks that a decoded status has everything that a real hub reports, except times.
func TestRecordedPlacements(t *testing.T) {
	for _, file := range recordings(t, "placements") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := load[recording](t, file)
			if r.Final == nil {
				t.Skip("it was refused")
			}
			final := lossless[v1beta1.ClusterResourcePlacement](t, r.Final)
			hasAll(t, final.Status, PlacementStatus(final.Status, final.Spec.Policy))
			for _, step := range r.Timeline {
				if step.Status != nil {
					status := lossless[v1beta1.ClusterResourcePlacement](t, map[string]any{"spec": r.Final["spec"], "status": step.Status}).Status
					hasAll(t, status, PlacementStatus(status, final.Spec.Policy))
				}
			}
			for _, object := range r.Bindings {
				lossless[v1beta1.ClusterResourceBinding](t, object)
			}
			for _, object := range r.PolicySnapshots {
				lossless[v1beta1.ClusterSchedulingPolicySnapshot](t, object)
			}
			for _, object := range r.ResourceSnapshots {
				lossless[v1beta1.ClusterResourceSnapshot](t, object)
			}
		})
	}
}

// TestRecordedSpecs checks that specs stored by real hubs, with defaults and webhook mutations, read as they were sent.
func TestRecordedSpecs(t *testing.T) {
	for _, file := range recordings(t, "placements") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := load[recording](t, file)
			storedAsSent(t, r.Sent, r.Stored)
			storedAsSent(t, r.Sent, r.Final)
		})
	}
	data, err := os.ReadFile(filepath.Join(crds.Reference(t, "recordings", "kubefleet"), "admission.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for line := range bytes.Lines(data) {
		var entry struct {
			ID           string
			Op           string
			Accepted     bool
			Sent, Stored map[string]any
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatal(err)
		}
		if !entry.Accepted || entry.Stored["spec"] == nil || entry.Sent["kind"] != v1beta1.ClusterResourcePlacementKind {
			continue
		}
		tried++
		t.Run(entry.ID, func(t *testing.T) { storedAsSent(t, entry.Sent, entry.Stored) })
	}
	if tried == 0 {
		t.Error("no request was accepted")
	}
}

// TestRecordedMembers checks the same as TestRecordedSpecs for registrations of members.
func TestRecordedMembers(t *testing.T) {
	for _, file := range recordings(t, "membercluster") {
		content := load[map[string]any](t, file)
		if content["kind"] != clusterv1beta1.MemberClusterKind {
			continue
		}
		m := lossless[clusterv1beta1.MemberCluster](t, content)
		status := MemberStatus(m.Status)
		if len(status.Conditions) != len(m.Status.Conditions) || len(status.AgentStatus) != len(m.Status.AgentStatus) ||
			len(status.Properties) != len(m.Status.Properties) || len(status.Usage.Capacity) != len(m.Status.ResourceUsage.Capacity) {
			t.Errorf("%s: %+v", file, status)
		}
		imported, err := MemberAsWritten(ToMember(*m), nil)
		if err != nil || imported.DeleteOptions != nil || imported.Labels["kubernetes-fleet.io/member-name"] != "" {
			t.Errorf("%s: %v, %+v", file, err, imported)
		}
	}
}

// storedAsSent checks that a stored spec reads as it was sent.
func storedAsSent(t *testing.T, sent, stored map[string]any) {
	t.Helper()
	if sent == nil || stored == nil {
		return
	}
	written := ToPlacementSpec(decoded[v1beta1.ClusterResourcePlacement](t, sent).Spec)
	got, err := PlacementAsWritten(ToPlacementSpec(decoded[v1beta1.ClusterResourcePlacement](t, stored).Spec), written)
	if diff := cmp.Diff(written, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// hasAll compares the number of entries in a status before and after decoding.
func hasAll(t *testing.T, wire v1beta1.PlacementStatus, got placement.Status) {
	t.Helper()
	type count struct{ entries, conditions, failed, drifted, diffed, selected, overrides int }
	is := count{
		entries: len(got.Clusters) + got.Unfilled, conditions: len(got.Conditions) + len(got.UnfilledConditions), selected: len(got.SelectedResources),
	}
	for _, cluster := range got.Clusters {
		is.conditions += len(cluster.Conditions)
		is.failed += len(cluster.FailedPlacements)
		is.drifted += len(cluster.DriftedPlacements)
		is.diffed += len(cluster.DiffedPlacements)
		is.overrides += len(cluster.ApplicableClusterResourceOverrides) + len(cluster.ApplicableResourceOverrides)
	}
	want := count{entries: len(wire.PlacementStatuses), conditions: len(wire.Conditions), selected: len(wire.SelectedResources)}
	for _, cluster := range wire.PlacementStatuses {
		want.conditions += len(cluster.Conditions)
		want.failed += len(cluster.FailedPlacements)
		want.drifted += len(cluster.DriftedPlacements)
		want.diffed += len(cluster.DiffedPlacements)
		want.overrides += len(cluster.ApplicableClusterResourceOverrides) + len(cluster.ApplicableResourceOverrides)
	}
	if is != want || got.ObservedResourceIndex != wire.ObservedResourceIndex {
		t.Errorf("got %+v, want %+v", is, want)
	}
	for name, cluster := range got.Clusters {
		if name == "" || len(cluster.Conditions) == 0 {
			t.Errorf("%q: %+v", name, cluster)
		}
	}
}

// lossless decodes an object and checks that encoding it returns the same, apart from metadata and explicit empty values.
func lossless[T any](t *testing.T, object map[string]any) *T {
	t.Helper()
	out := decoded[T](t, object)
	var parts [2]map[string]any
	for i, value := range []any{object, out} {
		content, err := codec.Tree(value)
		if err != nil {
			t.Fatal(err)
		}
		parts[i], _ = withoutEmpty(map[string]any{"spec": content["spec"], "status": content["status"]}).(map[string]any)
	}
	if diff := cmp.Diff(parts[0], parts[1]); diff != "" {
		t.Errorf("%v:\n%s", object["kind"], diff)
	}
	return out
}

func decoded[T any](t *testing.T, object map[string]any) *T {
	t.Helper()
	out, err := codec.Decode[T](&unstructured.Unstructured{Object: object})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func withoutEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			if v[key] = withoutEmpty(v[key]); empty(v[key]) {
				delete(v, key)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
	}
	return value
}

func recordings(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(crds.Reference(t, "recordings", "kubefleet", folder), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	return files
}

func load[T any](t *testing.T, file string) T {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
