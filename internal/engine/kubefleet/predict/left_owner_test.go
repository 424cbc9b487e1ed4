package predict

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// An apply removes the owner reference of a giver only if the giver is known not to place the object any more.
func TestWithoutLeft(t *testing.T) {
	owner := func(name string) metav1.OwnerReference {
		return agent.Reference(wire.AppliedWork{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1"}})
	}
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "web"}}}
	live.SetOwnerReferences([]metav1.OwnerReference{owner("web-work"), owner("bulk-work")})
	key := manifest.NewObject(live, nil).Key()
	for name, c := range map[string]struct {
		giver  other
		works  bool // the giver has Works on the hub
		want   bool
		orphan string
	}{
		"does not place it": {other{places: map[manifest.Key]bool{}}, true, true, ""},
		"places it":         {other{places: map[manifest.Key]bool{key: true}}, true, false, ""},
		"cannot be read":    {other{err: errors.New("forbidden")}, true, false, ""},
		"has no Works":      {other{err: errors.New("forbidden")}, false, true, "bulk-work"},
	} {
		cluster := &Cluster{
			Name: "member-1", ownership: &agent.Ownership{Own: map[string]metav1.OwnerReference{"web-work": owner("web-work")}, WorkExists: func(string) bool { return c.works }},
			others:     func(string) other { return c.giver },
			prediction: &Prediction{givers: []giver{{Giver: engine.Giver{Name: "bulk"}, works: map[string]map[string]bool{"member-1": {"bulk-work": false}}}}},
		}
		owners, _, has := cluster.WithoutLeft(live)
		if has != c.want || has != (len(owners) == 1) {
			t.Errorf("a giver that %s: %t, %v", name, has, owners)
		}
		if got := cluster.withoutWork(live); got != c.orphan {
			t.Errorf("a giver that %s: the AppliedWork %q is without its Work, want %q", name, got, c.orphan)
		}
	}
}

// TestStoppedAgentDanger checks that a plan names all objects from which the apply removes the owner reference to an AppliedWork without a Work.
func TestStoppedAgentDanger(t *testing.T) {
	t.Parallel()
	owner := func(name string) metav1.OwnerReference {
		return agent.Reference(wire.AppliedWork{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1"}})
	}
	p := &Prediction{}
	for _, member := range []string{"member-1", "member-2"} {
		live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "web"}}}
		live.SetOwnerReferences([]metav1.OwnerReference{owner("web-work"), owner("gone-work")})
		item := &memberpreview.Object{Live: live}
		item.Identifier = manifest.NewObject(live, nil).Identifier
		p.Clusters = append(p.Clusters, &Cluster{
			Name: member, left: []*memberpreview.Object{item},
			ownership: &agent.Ownership{
				Own:        map[string]metav1.OwnerReference{"web-work": owner("web-work")},
				WorkExists: func(name string) bool { return member == "member-1" || name != "gone-work" },
			},
		})
	}
	if danger := p.stoppedAgentDanger(); danger == nil || strings.Contains(danger.Message, "member-1") || !strings.Contains(danger.Message, `ConfigMap web/a on "member-2"`) {
		t.Errorf("with one of two objects: %+v", danger)
	}
	p.Clusters[0].ownership.WorkExists = func(string) bool { return false }
	if danger := p.stoppedAgentDanger(); !strings.Contains(danger.Message, `ConfigMap web/a on "member-1"`) || !strings.Contains(danger.Message, `ConfigMap web/a on "member-2"`) {
		t.Errorf("with two objects: %+v", danger)
	}
	if danger := (&Prediction{}).stoppedAgentDanger(); danger != nil {
		t.Errorf("without an object: %+v", danger)
	}
}
