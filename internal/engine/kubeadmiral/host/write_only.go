package host

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// writeOnlyAnnotation is on a policy: the objects among those of [Made] that come from write-only manifests. No state has these manifests, so that a preview
// without them needs the names.
const writeOnlyAnnotation = "fleet.terraform.io/write-only-objects"

// WriteOnlyOf reads from a policy, which may be nil, the objects that come from write-only manifests.
func WriteOnlyOf(policy *unstructured.Unstructured) []manifest.Identifier {
	if policy == nil {
		return nil
	}
	var out []manifest.Identifier
	if err := json.Unmarshal([]byte(policy.GetAnnotations()[writeOnlyAnnotation]), &out); err != nil {
		return nil
	}
	return out
}

// RecordWriteOnly writes onto a policy the objects that come from write-only manifests.
func RecordWriteOnly(policy *unstructured.Unstructured, objects []manifest.Identifier) error {
	if len(objects) == 0 {
		return nil
	}
	slices.SortFunc(objects, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	text, err := json.Marshal(objects)
	if err != nil {
		return err
	}
	annotations := policy.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[writeOnlyAnnotation] = string(text)
	policy.SetAnnotations(annotations)
	return nil
}
