package host

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Follower is an object that follows workloads: KubeAdmiral places it on every member that has one of these workloads. If all of them leave a member,
// KubeAdmiral deletes the object on this member and ignores its orphan annotation (pkg/controllers/follower).
type Follower struct {
	convert.Federated
	// Leaders are the followed workloads that belong to the policy. Others are the members on which the object remains for another reason.
	Leaders []manifest.Key
	Others  []string
}

// readFollowers reads the followers of the leaders. Only external policies schedule followers.
func readFollowers(ctx context.Context, host *kube.Cluster, leaders map[manifest.Key]convert.Federated) (map[manifest.Key]Follower, error) {
	namespaces := map[string]bool{}
	for _, f := range leaders {
		if f.Annotations[v1alpha1.EnableFollowerSchedulingAnnotation] == "true" {
			namespaces[f.Namespace] = true
		}
	}
	out := map[manifest.Key]Follower{}
	for namespace := range namespaces {
		found, err := List[v1alpha1.FederatedObject](ctx, host, v1alpha1.FederatedObjectKind, namespace, "")
		if err != nil {
			return nil, err
		}
		all := map[manifest.Key]convert.Federated{}
		for _, o := range found {
			template := &unstructured.Unstructured{}
			if err := template.UnmarshalJSON(o.Spec.Template.Raw); err == nil {
				all[manifest.NewObject(template, nil).Key()] = convert.NewFederated(o)
			}
		}
		for key, f := range all {
			if follower := newFollower(key, f, leaders, all); len(follower.Leaders) > 0 {
				out[key] = follower
			}
		}
	}
	return out, nil
}

func newFollower(key manifest.Key, f convert.Federated, leaders, all map[manifest.Key]convert.Federated) Follower {
	out := Follower{Federated: f}
	for _, l := range f.Spec.Follows {
		leader := manifest.Key{Group: l.Group, Kind: l.Kind, Namespace: l.Namespace, Name: l.Name}
		if _, own := leaders[leader]; own {
			out.Leaders = append(out.Leaders, leader)
		} else {
			out.Others = append(out.Others, all[leader].Placed()...)
		}
	}
	_, own := leaders[key]
	for _, p := range f.Spec.Placements {
		if p.Controller == v1alpha1.FollowerController || own && p.Controller == v1alpha1.GlobalScheduler {
			continue
		}
		for _, c := range p.Placement {
			out.Others = append(out.Others, c.Cluster)
		}
	}
	slices.Sort(out.Others)
	out.Others = slices.Compact(out.Others)
	return out
}
