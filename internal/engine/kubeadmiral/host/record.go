package host

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// recordAnnotation is on a policy: the objects that the provider has made on the host for the placement. It is written before they are, so that an
// apply that is killed leaves none that nobody knows of. They and no others are removed with the placement.
const recordAnnotation = "fleet.terraform.io/objects"

// Made are the objects that the provider has made on the host for a placement.
type Made map[manifest.Key]manifest.Identifier

// MadeBy reads them from a policy, which may be nil.
func MadeBy(policy *unstructured.Unstructured) Made {
	if policy == nil {
		return Made{}
	}
	return recorded(policy.GetAnnotations())
}

// recorded reads them from the annotations of a policy.
func recorded(annotations map[string]string) Made {
	out := Made{}
	var list []manifest.Identifier
	if err := json.Unmarshal([]byte(annotations[recordAnnotation]), &list); err != nil {
		return out
	}
	for _, id := range list {
		out[id.Key()] = id
	}
	return out
}

// Has tells whether an object is one of them.
func (m Made) Has(id manifest.Identifier) bool {
	_, is := m[id.Key()]
	return is
}

// record writes them onto a policy.
func (m Made) record(policy *unstructured.Unstructured) error {
	if len(m) == 0 {
		return nil
	}
	list := make([]manifest.Identifier, 0, len(m))
	for _, id := range m {
		id.Envelope = nil
		list = append(list, id)
	}
	slices.SortFunc(list, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	annotations := policy.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[recordAnnotation] = string(text)
	policy.SetAnnotations(annotations)
	return nil
}
