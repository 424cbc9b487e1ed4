package host

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// recordAnnotation is an annotation of a policy. It lists the objects that the provider created on the host for the placement. An apply writes it before it
// creates the objects, so that a killed apply leaves no unrecorded objects. The removal of the placement deletes only these objects.
const recordAnnotation = "fleet.terraform.io/objects"

// Made is the set of objects that the provider created on the host for a placement.
type Made map[manifest.Key]manifest.Identifier

// MadeBy returns the objects in the record of a policy. It returns an empty set if policy is nil or has no record.
func MadeBy(policy *unstructured.Unstructured) Made {
	if policy == nil {
		return Made{}
	}
	return parseRecord(policy.GetAnnotations())
}

func parseRecord(annotations map[string]string) Made {
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

// Has reports whether the set contains an object.
func (m Made) Has(id manifest.Identifier) bool {
	_, is := m[id.Key()]
	return is
}

func (m Made) record(policy *unstructured.Unstructured) error {
	if len(m) == 0 {
		return nil
	}
	list := make([]manifest.Identifier, 0, len(m))
	for _, id := range m {
		id.Envelope = nil
		list = append(list, id)
	}
	return setList(policy, recordAnnotation, list)
}

// writeOnlyAnnotation is an annotation of a policy. It lists the objects that come from write-only manifests. The state does not contain these manifests, so
// a preview without the manifests needs the names of the objects.
const writeOnlyAnnotation = "fleet.terraform.io/write-only-objects"

// WriteOnlyOf returns the objects from write-only manifests that the annotation of a policy lists. The policy may be nil.
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

// RecordWriteOnly sets the annotation that lists the objects from write-only manifests. It does not change the policy if there are no such objects.
func RecordWriteOnly(policy *unstructured.Unstructured, objects []manifest.Identifier) error {
	if len(objects) == 0 {
		return nil
	}
	return setList(policy, writeOnlyAnnotation, objects)
}

func setList(policy *unstructured.Unstructured, annotation string, objects []manifest.Identifier) error {
	slices.SortFunc(objects, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	text, err := json.Marshal(objects)
	if err != nil {
		return err
	}
	annotations := policy.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotation] = string(text)
	policy.SetAnnotations(annotations)
	return nil
}
