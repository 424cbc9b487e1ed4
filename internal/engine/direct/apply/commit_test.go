package apply

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberapply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestFinalWriteOnly checks that the record no longer says that an object has values from write-only manifests after the object was written from other
// manifests, and still says so if the write failed or an ignored field can keep such a value.
func TestFinalWriteOnly(t *testing.T) {
	t.Parallel()
	const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default, uid: u}}"
	live := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &live.Object); err != nil {
		t.Fatal(err)
	}
	failed := &placement.Condition{Type: placement.Applied, Status: placement.False}
	for name, c := range map[string]struct {
		isWriteOnly bool
		ignored     []string
		outcome     *memberapply.Outcome
		want        bool
	}{
		"written":                             {outcome: &memberapply.Outcome{}},
		"written, with an ignored field":      {ignored: []string{"data.password"}, outcome: &memberapply.Outcome{}, want: true},
		"failed":                              {outcome: &memberapply.Outcome{Failure: failed}, want: true},
		"not reached":                         {want: true},
		"written from write-only manifests":   {isWriteOnly: true, outcome: &memberapply.Outcome{}, want: true},
		"not written, but still write-only":   {isWriteOnly: true, outcome: &memberapply.Outcome{Failure: failed}, want: true},
		"not reached, but still write-only":   {isWriteOnly: true, want: true},
		"not available, from other manifests": {outcome: &memberapply.Outcome{Waiting: failed}},
	} {
		prior := placement.ClusterStatus{Conditions: []placement.Condition{{Type: placement.Scheduled, Status: placement.True}}}
		p := engine.Placement{
			Manifests: map[string]string{"a": text}, Prior: &placement.Status{Clusters: map[string]placement.ClusterStatus{"a": prior}},
		}
		if c.isWriteOnly {
			p.Manifests, p.WriteOnly = nil, p.Manifests
		}
		entry := record.Entry{UID: "u", Hash: "h", WriteOnly: true}
		entry.Identifier = manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: "a"}
		known := (&record.Inventory{Objects: []record.Entry{entry}}).Indexed()
		cluster := newRun(nil, planOf(t, p, plan.MemberState{Err: errUnreachable, Inventory: known}), Options{}, engine.OperationApply).clusters["a"]
		i := cluster.Items[0]
		i.Live, i.Action, i.Ignored = live, takeover.ActionUpdate, c.ignored
		cluster.entries[i] = cluster.EntryAhead(i)
		if c.outcome != nil {
			cluster.Record(&i.Object, *c.outcome)
		}
		if got := cluster.finalInventory().Objects; len(got) != 1 || got[0].WriteOnly != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
