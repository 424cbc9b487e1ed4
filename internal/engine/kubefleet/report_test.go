package kubefleet

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// The wait for a cluster whose objects cannot all be compared ends once its agent has processed every Work.
func TestReports(t *testing.T) {
	diffReported := func(status metav1.ConditionStatus, generation int64) []metav1.Condition {
		return []metav1.Condition{{Type: placement.DiffReported, Status: status, ObservedGeneration: generation, Message: "why"}}
	}
	work := func(member, name string, reported []metav1.Condition, objects ...wire.ManifestCondition) wire.Work {
		return wire.Work{
			ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-member-" + member, Name: name, Generation: 2},
			Status:     wire.WorkStatus{Conditions: reported, ManifestConditions: objects},
		}
	}
	object := func(name string, status metav1.ConditionStatus) wire.ManifestCondition {
		return wire.ManifestCondition{
			Identifier: wire.WorkResourceIdentifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: name},
			Conditions: diffReported(status, 1),
		}
	}
	degraded := object("w", metav1.ConditionTrue)
	degraded.Conditions[0].Reason = takeover.ReasonFoundDiffInDegradedMode
	enveloped := work("a", "web-envelope", diffReported(metav1.ConditionFalse, 2), object("y", metav1.ConditionFalse))
	enveloped.Labels = map[string]string{
		wire.EnvelopeTypeLabel: "ResourceEnvelope", wire.EnvelopeNameLabel: "e", wire.EnvelopeNamespaceLabel: "app",
	}
	got := reportsOf([]wire.Work{
		work("a", "web-work", diffReported(metav1.ConditionFalse, 2), object("x", metav1.ConditionFalse), object("z", metav1.ConditionTrue)), enveloped,
		work("d", "web-work", diffReported(metav1.ConditionFalse, 2), degraded),
		work("b", "web-work", diffReported(metav1.ConditionFalse, 1)), // of an earlier generation
		work("c", "web-work", nil), work("c", "web-1", diffReported(metav1.ConditionTrue, 2)),
	}, placement.DiffReported)
	failed := func(name string, envelope *manifest.Envelope) placement.FailedPlacement {
		return placement.FailedPlacement{
			Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: name, Envelope: envelope},
			Condition:  placement.Condition{Type: placement.DiffReported, Status: placement.False, Message: "why", ObservedGeneration: 1},
		}
	}
	want := map[string]report{
		"a": {complete: true, failed: []placement.FailedPlacement{
			failed("x", nil), failed("y", &manifest.Envelope{Type: "ResourceEnvelope", Name: "e", Namespace: "app"}),
		}},
		"b": {}, "c": {}, "d": got["d"],
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if d := got["d"]; !d.complete || len(d.failed) != 1 || !strings.HasPrefix(d.failed[0].Condition.Message, "why. While such an object") {
		t.Errorf("an object that was compared in degraded mode hides the differences of all others: %+v", d)
	}
}
