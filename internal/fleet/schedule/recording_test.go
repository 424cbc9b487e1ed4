package schedule

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// recording is a policy with the decisions of a real KubeFleet hub: policy snapshots of the recorded placements, with the labels and usage of
// the three members at that time. The recording does not have clusters that had not joined.
type recording struct {
	Policy     *placement.Policy `json:"policy"`
	Clusters   []Cluster         `json:"clusters"`
	Conditions []struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"conditions"`
	Decisions []Decision `json:"targetClusters"`
	Bindings  []struct {
		Cluster string `json:"targetCluster"`
		Score   *Score `json:"clusterScore"`
	} `json:"bindings"`
}

// TestRecordings compares the scheduler with KubeFleet's recorded results, including their texts and order.
func TestRecordings(t *testing.T) {
	files, err := filepath.Glob("testdata/recordings/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r recording
			if err := json.Unmarshal(data, &r); err != nil {
				t.Fatal(err)
			}
			at := time.Date(2026, 11, 21, 9, 7, 30, 0, time.UTC)
			out, err := Schedule(Input{Policy: r.Policy, Clusters: r.Clusters, Now: at, Limits: KubeFleetLimits()})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r.Decisions, out.Decisions, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Decision{}, "Cause")); diff != "" {
				t.Errorf("-KubeFleet +ours:\n%s", diff)
			}
			if out.Reason != r.Conditions[0].Reason || out.Message != r.Conditions[0].Message {
				t.Errorf("got %s, %s", out.Reason, out.Message)
			}
			got := map[string]*Score{}
			for _, b := range out.Bindings {
				got[b.Cluster] = b.Score
			}
			want := map[string]*Score{}
			for _, b := range r.Bindings {
				want[b.Cluster] = b.Score
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("bindings: -KubeFleet +ours:\n%s", diff)
			}
		})
	}
}
