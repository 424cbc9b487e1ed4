package predict

import (
	"context"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// NoAutoscalers is the reason why a host does not place an autoscaler together with a workload.
const NoAutoscalers = "KubeAdmiral sends an autoscaler to members only as a follower of its workload, and the policy of a placement schedules no followers"

// centralizedAutoscaler is the reason why a host does not place an autoscaler with the label of a centralized autoscaler.
const centralizedAutoscaler = "KubeAdmiral sends an autoscaler with the label " + v1alpha1.HPAModeLabel + "=" + v1alpha1.HPAModeCentralized + " to no member"

// HoldsAutoscalers reports whether a host processes the objects of a kind as autoscalers. The host sends an autoscaler whose workload is on the host to
// members only if the autoscaler follows the workload.
func HoldsAutoscalers(config v1alpha1.FederatedTypeConfig) bool {
	return slices.ContainsFunc(config.Spec.Controllers, func(step []string) bool { return slices.Contains(step, v1alpha1.FederatedHPAController) })
}

// heldAutoscalers returns the autoscalers that the host does not send to members, with the reasons.
func (c *content) heldAutoscalers(
	ctx context.Context, cluster *kube.Cluster, fleet *host.Fleet, policy v1alpha1.PropagationPolicySpec,
) (map[manifest.Key]string, error) {
	out, targets := map[manifest.Key]string{}, map[manifest.Key]manifest.Identifier{}
	for _, o := range c.objects {
		config, known := fleet.Types[o.GroupVersionKind()]
		u := o.desired()
		if !known || !HoldsAutoscalers(config) || u == nil {
			continue
		}
		if u.GetLabels()[v1alpha1.HPAModeLabel] == v1alpha1.HPAModeCentralized {
			out[o.Key()] = centralizedAutoscaler
		} else if target := scaleTarget(u); target.Name != "" {
			targets[o.Key()] = target
		}
	}
	if len(targets) == 0 {
		return out, nil
	}
	var ids []manifest.Identifier
	for _, id := range targets {
		ids = append(ids, id)
	}
	live, err := host.Objects(ctx, cluster, ids)
	if err != nil {
		return nil, err
	}
	for autoscaler, target := range targets {
		workload := live[target.Key()]
		if i := slices.IndexFunc(c.objects, func(o *Object) bool { return o.Key() == target.Key() }); i >= 0 {
			workload = c.objects[i].desired()
		}
		if workload != nil && (policy.DisableFollowerScheduling || policy.SchedulingMode != v1alpha1.SchedulingModeDuplicate ||
			workload.GetAnnotations()[v1alpha1.RetainReplicasAnnotation] != "true" || !names(workload, autoscaler)) {
			out[autoscaler] = NoAutoscalers
		}
	}
	return out, nil
}

// desired returns the object as the host stores it after the apply.
func (o *Object) desired() *unstructured.Unstructured {
	switch {
	case o.Manifest != nil:
		return o.Manifest
	case o.Live != nil:
		return o.Live
	}
	return o.Outgoing
}

// scaleTarget returns the workload that an autoscaler scales, or an empty identifier if the reference is invalid.
func scaleTarget(autoscaler *unstructured.Unstructured) manifest.Identifier {
	text := func(field string) string {
		value, _, _ := unstructured.NestedString(autoscaler.Object, "spec", "scaleTargetRef", field)
		return value
	}
	version, err := schema.ParseGroupVersion(text("apiVersion"))
	if err != nil {
		return manifest.Identifier{}
	}
	return manifest.Identifier{
		Group: version.Group, Version: version.Version, Kind: text("kind"), Namespace: autoscaler.GetNamespace(), Name: text("name"),
	}
}

// names reports whether the annotation of a workload lists an autoscaler as a follower.
func names(workload *unstructured.Unstructured, autoscaler manifest.Key) bool {
	var followers []struct{ Group, Kind, Name string }
	_ = json.Unmarshal([]byte(workload.GetAnnotations()[v1alpha1.FollowersAnnotation]), &followers)
	return slices.ContainsFunc(followers, func(f struct{ Group, Kind, Name string }) bool {
		return f.Group == autoscaler.Group && f.Kind == autoscaler.Kind && f.Name == autoscaler.Name
	})
}
