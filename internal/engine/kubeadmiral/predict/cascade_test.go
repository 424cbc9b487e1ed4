package predict

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestCascadingDelete checks what happens to an object on a member that leaves the fleet: with the annotation, whatever its value, KubeAdmiral deletes the
// object, unless the orphan annotation keeps it.
func TestCascadingDelete(t *testing.T) {
	t.Parallel()
	id := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a", Name: "it"}
	const prune, orphan = takeover.ActionPrune, takeover.ActionOrphan
	for name, c := range map[string]struct {
		plain, unjoined, stays bool
		orphan                 string
		adopted                bool
		want                   takeover.Action
		obstacle               takeover.Obstacle
	}{
		"created":    {orphan: v1alpha1.OrphanAdopted, want: prune},
		"taken over": {orphan: v1alpha1.OrphanAdopted, adopted: true, want: orphan, obstacle: takeover.ObstacleAdopted},
		"taken over, without the orphan annotation": {adopted: true, want: prune},
		"abandoned":                    {orphan: v1alpha1.OrphanAll, want: orphan, obstacle: takeover.ObstacleAbandoned},
		"without the annotation":       {plain: true, want: orphan, obstacle: takeover.ObstacleLeft},
		"a member that has not joined": {unjoined: true, want: orphan, obstacle: takeover.ObstacleLeft},
		"a member that stays":          {stays: true, orphan: v1alpha1.OrphanAll, want: prune},
	} {
		registration := &v1alpha1.FederatedCluster{}
		registration.Annotations = map[string]string{v1alpha1.CascadingDeleteAnnotation: "false"}
		registration.Status.Conditions = []v1alpha1.ClusterCondition{{Type: v1alpha1.ConditionJoined, Status: "True"}}
		if c.plain {
			registration.Annotations = nil
		}
		if c.unjoined {
			registration.Status.Conditions = nil
		}
		live := &unstructured.Unstructured{Object: map[string]any{}}
		live.SetLabels(map[string]string{v1alpha1.ManagedLabel: "true"})
		if c.adopted {
			live.SetAnnotations(map[string]string{v1alpha1.AdoptedAnnotation: "true"})
		}
		placed := convert.Federated{Annotations: map[string]string{v1alpha1.OrphanAnnotation: c.orphan}}
		p := &Prediction{Fleet: &host.Fleet{Federated: map[manifest.Key]convert.Federated{id.Key(): placed}}, Objects: []*Object{{Identifier: id}}}
		cluster := &Cluster{Name: "member-1", prediction: p, registration: registration, leaving: !c.stays}
		o := &memberpreview.Object{Live: live}
		o.Identifier = id
		if action, obstacle, _ := cluster.leftover(o); action != c.want || obstacle != c.obstacle {
			t.Errorf("%s: %s %s", name, action, obstacle)
		}
		if c.stays || c.unjoined {
			continue
		}
		cluster.leaving, registration.DeletionTimestamp = false, &metav1.Time{}
		if action, obstacle, _ := cluster.leftover(o); action != c.want || obstacle != c.obstacle {
			t.Errorf("%s, being deleted: %s %s", name, action, obstacle)
		}
	}
}
