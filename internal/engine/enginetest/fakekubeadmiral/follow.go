package fakekubeadmiral

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// followerKinds are the kinds that follow workloads, except autoscalers (pkg/controllers/follower).
var followerKinds = []string{"ConfigMap", "Secret", "PersistentVolumeClaim", "ServiceAccount", "Service", "Ingress"}

// readLeaders reads which objects follow which workloads: those that a workload's Pods need, and those in its annotation.
func (v *view) readLeaders() error {
	v.leaders, v.byKey = map[manifest.Key][]v1alpha1.LeaderReference{}, map[manifest.Key]*federated{}
	for _, f := range v.federated {
		id := f.Identifier()
		v.byKey[id.Key()] = f
		if !workload.Is(id.GroupVersionKind().GroupKind()) || f.Annotations[v1alpha1.EnableFollowerSchedulingAnnotation] != "true" || f.Annotations[v1alpha1.NoSchedulingAnnotation] == "true" {
			continue
		}
		template := &unstructured.Unstructured{}
		if err := template.UnmarshalJSON(f.Spec.Template.Raw); err != nil {
			return err
		}
		template.SetNamespace(f.Namespace)
		var named []v1alpha1.LeaderReference
		_ = json.Unmarshal([]byte(f.Annotations[v1alpha1.FollowersAnnotation]), &named)
		for _, ref := range workload.References(template) {
			if ref.Kind != "Service" { // only an annotation can name a Service
				named = append(named, v1alpha1.LeaderReference{Group: ref.Group, Kind: ref.Kind, Name: ref.Name})
			}
		}
		leader := v1alpha1.LeaderReference{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
		for _, n := range named {
			key := manifest.Key{Group: n.Group, Kind: n.Kind, Namespace: f.Namespace, Name: n.Name}
			if slices.Contains(followerKinds, n.Kind) && !slices.Contains(v.leaders[key], leader) {
				v.leaders[key] = append(v.leaders[key], leader)
			}
		}
	}
	for _, leaders := range v.leaders {
		slices.SortFunc(leaders, func(a, b v1alpha1.LeaderReference) int {
			return strings.Compare(a.Group+a.Kind+a.Name, b.Group+b.Kind+b.Name)
		})
	}
	return nil
}

// follow places an object on the members of its leaders. It reports whether that changed the object.
func (h *Host) follow(ctx context.Context, v *view, f *federated) (bool, error) {
	leaders := v.leaders[f.Identifier().Key()]
	if len(leaders) == 0 && len(f.Spec.Follows) == 0 {
		return false, nil
	}
	var names []string
	for _, l := range leaders {
		if leader := v.byKey[manifest.Key{Group: l.Group, Kind: l.Kind, Namespace: l.Namespace, Name: l.Name}]; leader != nil {
			names = append(names, leader.Placed()...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	next := f.live.DeepCopy()
	follows, err := tree(leaders)
	if err != nil {
		return false, err
	}
	if unstructured.RemoveNestedField(next.Object, "spec", "follows"); len(leaders) > 0 {
		if err := unstructured.SetNestedField(next.Object, follows, "spec", "follows"); err != nil {
			return false, err
		}
	}
	if err := setPlacements(next, v1alpha1.FollowerController, names); err != nil || reflect.DeepEqual(next.Object["spec"], f.live.Object["spec"]) {
		return false, err
	}
	_, err = h.set.Hub.Update(ctx, next, kube.WriteOptions{FieldManager: Manager})
	return true, err
}
