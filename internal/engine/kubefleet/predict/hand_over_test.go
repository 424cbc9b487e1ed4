package predict

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// An apply removes the temporary owner that an interrupted removal of the placement left. The annotations identify this owner: another client or placement may
// have added an equal reference. The owner remains while a removal, or an object of a Work in deletion, needs it.
func TestKept(t *testing.T) {
	t.Parallel()
	owner := func(name string) metav1.OwnerReference {
		return agent.Reference(wire.AppliedWork{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1"}})
	}
	keptBy := func(name string) map[string]string { return map[string]string{agent.KeptByAnnotation: name} }
	handedBy := func(name string) map[string]string {
		return map[string]string{agent.HandedByAnnotation: name, agent.KeptByAnnotation: "web"}
	}
	for name, c := range map[string]struct {
		annotations map[string]string
		held        []metav1.OwnerReference
		disposition agent.Disposition
		removing    bool
		kept        bool // an apply removes the owner
		others      int  // the Namespaces that stop an agent
	}{
		"by Abandon":                      {keptBy("web"), []metav1.OwnerReference{owner("web-work")}, agent.Retain, false, true, 0},
		"by Abandon, without an agent":    {keptBy("web"), nil, agent.Retain, false, true, 0},
		"by Abandon, during a removal":    {keptBy("web"), []metav1.OwnerReference{owner("web-work")}, agent.Retain, true, false, 1},
		"by Abandon, Work in deletion":    {keptBy("web"), []metav1.OwnerReference{owner("web-work")}, agent.Release, false, false, 1},
		"by Abandon, of another agent":    {keptBy("web"), []metav1.OwnerReference{owner("bulk-work")}, agent.Retain, false, false, 0},
		"by Abandon of another placement": {keptBy("bulk"), []metav1.OwnerReference{owner("web-work")}, agent.Retain, false, false, 1},
		"by another client":               {nil, []metav1.OwnerReference{owner("web-work")}, agent.Retain, false, false, 1},
		"to hand it over":                 {handedBy("web"), []metav1.OwnerReference{owner("web-work")}, agent.Retain, false, true, 0},
		"to hand it over, by another":     {handedBy("bulk"), []metav1.OwnerReference{owner("web-work")}, agent.Retain, false, false, 1},
	} {
		live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "web"}}}
		live.SetAnnotations(c.annotations)
		keeper := agent.Keeper(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "web", "uid": "2"}}})
		live.SetOwnerReferences(append(c.held, keeper))
		cluster := &Cluster{prediction: &Prediction{Placement: engine.Placement{Reference: engine.Reference{Name: "web"}}, Removing: c.removing}}
		cluster.ownership = &agent.Ownership{
			Own:         map[string]metav1.OwnerReference{"web-work": owner("web-work")},
			Disposition: func(string, manifest.Key) agent.Disposition { return c.disposition },
			Gives:       cluster.gives, WorkExists: func(string) bool { return true },
		}
		item := &memberpreview.Object{Desired: live, Live: live}
		item.Owned = cluster.ownership.Owns(item)
		cluster.Items = []*memberpreview.Object{item}
		if kept := len(cluster.Kept()) == 1; kept != c.kept {
			t.Errorf("%s: an apply removes the owner: %t", name, kept)
		}
		others := 0
		for _, ref := range cluster.ownership.References(live) {
			if ref.Kind == "Namespace" {
				others++
			}
		}
		if others != c.others {
			t.Errorf("%s: the other owners are %v", name, cluster.ownership.References(live))
		}
	}
}
