package hub

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// carriedOut returns a placement on two clusters that its hub has rolled out, and its Works.
func carriedOut() (*wire.ClusterResourcePlacement, []metav1.ObjectMeta) {
	p := &wire.ClusterResourcePlacement{ObjectMeta: metav1.ObjectMeta{Name: "web", Generation: 2}}
	for _, stage := range []string{placement.Scheduled, placement.RolloutStarted, placement.WorkSynchronized} {
		p.Status.Conditions = append(p.Status.Conditions, metav1.Condition{
			Type: placement.ClusterResourcePlacementPrefix + stage, Status: metav1.ConditionTrue, ObservedGeneration: 2,
		})
	}
	var works []metav1.ObjectMeta
	for _, name := range []string{"a", "b"} {
		p.Status.PlacementStatuses = append(p.Status.PlacementStatuses, wire.PerClusterPlacementStatus{ClusterName: name})
		works = append(works, metav1.ObjectMeta{Namespace: MemberNamespacePrefix + name, Name: "web-work"})
	}
	return p, works
}

// A placement counts as at rest only if its conditions and the clusters of its Works show this.
func TestAtRest(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *wire.ClusterResourcePlacement, works *[]metav1.ObjectMeta){
		"is changed":       func(p *wire.ClusterResourcePlacement, _ *[]metav1.ObjectMeta) { p.Generation++ },
		"is being deleted": func(p *wire.ClusterResourcePlacement, _ *[]metav1.ObjectMeta) { p.DeletionTimestamp = &metav1.Time{} },
		"is not scheduled": func(p *wire.ClusterResourcePlacement, _ *[]metav1.ObjectMeta) {
			p.Status.Conditions[0].Status = metav1.ConditionUnknown
		},
		"is rolled out": func(p *wire.ClusterResourcePlacement, _ *[]metav1.ObjectMeta) {
			p.Status.Conditions[1].Status = metav1.ConditionFalse
		},
		"has said nothing": func(p *wire.ClusterResourcePlacement, _ *[]metav1.ObjectMeta) { p.Status.Conditions = nil },
		"asks for more clusters": func(p *wire.ClusterResourcePlacement, _ *[]metav1.ObjectMeta) {
			p.Status.PlacementStatuses[1].ClusterName = ""
		},
		"has not come everywhere": func(_ *wire.ClusterResourcePlacement, works *[]metav1.ObjectMeta) { *works = (*works)[:1] },
		"is leaving a cluster": func(p *wire.ClusterResourcePlacement, _ *[]metav1.ObjectMeta) {
			p.Status.PlacementStatuses = p.Status.PlacementStatuses[:1]
		},
		"is evicted from one": func(_ *wire.ClusterResourcePlacement, works *[]metav1.ObjectMeta) {
			(*works)[0].DeletionTimestamp = &metav1.Time{}
		},
		"has a Work somewhere else": func(_ *wire.ClusterResourcePlacement, works *[]metav1.ObjectMeta) { (*works)[0].Namespace = "default" },
	} {
		p, works := carriedOut()
		change(p, &works)
		if _, ok := bindingsAtRest(p, works); ok && isAtRest(p) {
			t.Errorf("one that %s is taken for one at rest", name)
		}
	}
	p, works := carriedOut()
	bindings, ok := bindingsAtRest(p, works)
	if !ok || !isAtRest(p) || !slices.Equal(targets(bindings), []string{"a", "b"}) {
		t.Errorf("it is at rest: %v, %+v", ok, bindings)
	}
}

// targets returns the clusters of the bindings that remain.
func targets(bindings []wire.ClusterResourceBinding) []string {
	var out []string
	for _, b := range bindings {
		if b.Spec.State == wire.BindingStateBound && b.DeletionTimestamp == nil {
			out = append(out, b.Spec.TargetCluster)
		}
	}
	slices.Sort(out)
	return out
}

// recording is a placement with its dependents as a real hub stored them.
type recording struct {
	Final           *wire.ClusterResourcePlacement
	Bindings        []wire.ClusterResourceBinding
	PolicySnapshots []wire.ClusterSchedulingPolicySnapshot
	Works           []wire.Work
}

// For placements that real hubs have rolled out, the status and the Works contain the same clusters as the bindings. The placement contains the same policy
// as its policy snapshot.
func TestRecordedRest(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(crds.Reference(t, "recordings", "kubefleet"), "placements", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	atRest, decided := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r recording
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if r.Final == nil {
			continue // it was rejected
		}
		if policy := scheduledPolicy(r.Final, r.Bindings); policy != nil && len(r.Bindings) > 0 {
			decided++
			if latest := r.PolicySnapshots[len(r.PolicySnapshots)-1]; policy.Name != latest.Name || hashOf(policy) != hashOf(&latest) {
				t.Errorf("%s: %+v, and not %+v", file, policy, latest)
			}
		}
		var works []metav1.ObjectMeta
		for _, w := range r.Works {
			works = append(works, w.ObjectMeta)
		}
		bindings, ok := bindingsAtRest(r.Final, works)
		if !ok || !isAtRest(r.Final) {
			continue
		}
		atRest++
		if got, want := targets(bindings), targets(r.Bindings); !slices.Equal(got, want) || len(want) != len(r.Bindings) {
			t.Errorf("%s: %v, and not %v of %d bindings", file, got, want, len(r.Bindings))
		}
	}
	if atRest < 15 || decided < 15 {
		t.Errorf("only %d of %d recordings are of a placement at rest, and %d of one that is scheduled", atRest, len(files), decided)
	}
}

func hashOf(p *wire.ClusterSchedulingPolicySnapshot) string {
	return convert.ToPlacementSpec(wire.PlacementSpec{Policy: p.Spec.Policy}).PolicyHash()
}

// While the scheduler has not decided, has not received the policy, or has bindings under different policies, the placement does not show the current policy.
func TestUnsettledPolicy(t *testing.T) {
	t.Parallel()
	under := func(names ...string) []wire.ClusterResourceBinding {
		var out []wire.ClusterResourceBinding
		for _, name := range names {
			out = append(out, wire.ClusterResourceBinding{Spec: wire.ResourceBindingSpec{State: wire.BindingStateBound, SchedulingPolicySnapshotName: name}})
		}
		return out
	}
	p, _ := carriedOut()
	if got := scheduledPolicy(p, under("web-1", "web-1")); got == nil || got.Name != "web-1" {
		t.Errorf("%+v", got)
	}
	if got := scheduledPolicy(p, under("web-0", "web-1")); got != nil {
		t.Errorf("of two policies: %+v", got)
	}
	p.Status.Conditions[0].Status = metav1.ConditionUnknown
	if got := scheduledPolicy(p, under("web-1")); got != nil {
		t.Errorf("undecided: %+v", got)
	}
	p.Status.Conditions[0].Status, p.Status.Conditions[0].Reason = metav1.ConditionFalse, InvalidSelectors
	if got := scheduledPolicy(p, under("web-1")); got != nil {
		t.Errorf("the scheduler has not received a policy because of invalid selectors: %+v", got)
	}
}
