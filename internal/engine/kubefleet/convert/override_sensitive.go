package convert

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// sensitiveAnnotation lists the positions of the sensitive values of an override, because the API has no field for them. The values themselves are in the
// object, where everyone who may read overrides on the hub can read them.
const sensitiveAnnotation = "fleet.terraform.io/sensitive-values"

// OverrideMeta returns the metadata of an override, with sensitiveAnnotation if the policy has sensitive values.
func OverrideMeta(reference override.Reference, policy *override.Policy) metav1.ObjectMeta {
	out := metav1.ObjectMeta{Namespace: reference.Namespace, Name: reference.Name}
	if sensitive := policy.Sensitive(); len(sensitive) > 0 {
		text, _ := json.Marshal(sensitive) // cannot fail, because a position consists of two integers
		out.Annotations = map[string]string{sensitiveAnnotation: string(text)}
	}
	return out
}

// MarkSensitive marks values in the policy of an override as sensitive. annotations are the annotations of the override, which list the positions of these
// values.
func MarkSensitive(annotations map[string]string, policy *override.Policy) {
	var positions []override.Position
	if json.Unmarshal([]byte(annotations[sensitiveAnnotation]), &positions) == nil {
		policy.MarkSensitive(positions)
	}
}
