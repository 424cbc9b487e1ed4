package host

import (
	"context"
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// externalAnnotation marks an external policy: a policy that the provider writes to, but did not create. Its value is the original reschedulePolicy, which an
// apply replaces temporarily.
const externalAnnotation = "fleet.terraform.io/external-reschedule-policy"

// externalSpec returns the spec of an external policy, with its original reschedulePolicy. The spec can still be suspended: see [convert.Resume].
// externalSpec returns nil for a policy that the provider created, and if policy is nil. manager is the provider's field manager.
func externalSpec(policy *v1alpha1.ClusterPropagationPolicy, live *unstructured.Unstructured, manager string) *v1alpha1.PropagationPolicySpec {
	if policy == nil {
		return nil
	}
	spec := policy.Spec
	text, written := live.GetAnnotations()[externalAnnotation]
	if !written && (WrittenBy(live, manager) || live.GetAnnotations()[recordAnnotation] != "") {
		return nil
	}
	if written {
		spec.ReschedulePolicy = nil
		_ = json.Unmarshal([]byte(text), &spec.ReschedulePolicy)
	}
	return &spec
}

// PatchPolicy writes those fields of an external policy that the provider knows, and keeps all other fields. external is the original spec of the policy. If
// nothing would change, PatchPolicy writes nothing and returns live.
func PatchPolicy(
	ctx context.Context, host *kube.Cluster, want, live *unstructured.Unstructured, external v1alpha1.PropagationPolicySpec,
) (*unstructured.Unstructured, error) {
	original, err := json.Marshal(external.ReschedulePolicy)
	if err != nil {
		return nil, err
	}
	annotations := map[string]any{}
	for key, value := range map[string]string{externalAnnotation: string(original), recordAnnotation: want.GetAnnotations()[recordAnnotation]} {
		switch was, found := live.GetAnnotations()[key]; {
		case value == "" && found:
			annotations[key] = nil
		case was != value:
			annotations[key] = value
		}
	}
	wanted, _, _ := unstructured.NestedMap(want.Object, "spec")
	stored, _, _ := unstructured.NestedMap(live.Object, "spec")
	spec := changes(wanted, stored)
	if _, first := annotations[externalAnnotation]; len(spec) == 0 && (len(annotations) == 0 || len(annotations) == 1 && first) {
		return live, nil // the annotation is not needed: the field managers still show that the provider did not create the policy
	}
	metadata := map[string]any{"uid": string(live.GetUID()), "annotations": annotations}
	data, err := json.Marshal(map[string]any{"metadata": metadata, "spec": spec})
	if err != nil {
		return nil, err
	}
	patched, err := controlplane.Repeat(ctx, func() (*unstructured.Unstructured, error) {
		return host.Patch(ctx, kube.RefOf(live), types.MergePatchType, data, kube.WriteOptions{Strict: true})
	})
	return patched, clusterset.Unreachable(host.Name(), err)
}

// fields are the fields of the spec of a policy that the provider writes.
var fields = []string{
	"schedulingMode", "schedulingProfile", "clusterAffinity", "clusterSelector", "tolerations", "maxClusters", "placement", "disableFollowerScheduling",
	"reschedulePolicy",
}

// changes returns the merge patch from the spec in stored to the spec in wanted. It adds the preferences in stored to wanted.
func changes(wanted, stored map[string]any) map[string]any {
	if placements, is := wanted["placement"].([]any); is {
		keepPreferences(placements, stored["placement"])
	}
	out := differences(wanted, stored)
	for _, field := range fields {
		is, found := stored[field]
		if _, wants := wanted[field]; !wants && found && is != false && !isEmpty(is) {
			out[field] = nil
		}
	}
	return out
}

// differences returns the fields of wanted that are missing or different in stored. A field that is missing in stored counts as false.
func differences(wanted, stored map[string]any) map[string]any {
	out := map[string]any{}
	for field, want := range wanted {
		is := stored[field]
		some, isMap := want.(map[string]any)
		all, areMap := is.(map[string]any)
		switch {
		case isMap && areMap:
			if inside := differences(some, all); len(inside) > 0 {
				out[field] = inside
			}
		case want == false && is == nil, reflect.DeepEqual(want, is):
		default:
			out[field] = want
		}
	}
	return out
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// keepPreferences replaces entries of placements with the stored entries for the same clusters, because the stored entries can have preferences.
func keepPreferences(placements []any, stored any) {
	before, _ := stored.([]any)
	for i, p := range placements {
		for _, was := range before {
			entry, _ := was.(map[string]any)
			if one, _ := p.(map[string]any); entry != nil && one["cluster"] == entry["cluster"] {
				placements[i] = entry
			}
		}
	}
}
