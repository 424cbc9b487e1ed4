package envelope

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Spec is an envelope as the user wrote it.
type Spec struct {
	Name        string
	Namespace   string
	Labels      map[string]string
	Annotations map[string]string
	// WireFormat is the stored format of the envelope; empty means [FormatAuto].
	WireFormat WireFormat
	// Manifests has the YAML or JSON text of one object under each key.
	Manifests map[string]string
}

// Objects returns the objects in the envelope, sorted by key. A manifest must be exactly one valid object, which has no namespace or the envelope's namespace.
// Objects omits other manifests, which [Spec.Validate] reports.
func (s Spec) Objects() []manifest.Object {
	objects, _ := openConfigMap(manifest.NewObject(s.ConfigMap(), nil))
	return objects
}

// ConfigMap returns the envelope as an annotated ConfigMap, like those that KubeFleet users write manually.
func (s Spec) ConfigMap() *unstructured.Unstructured {
	annotations := maps.Clone(s.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	if annotations[Annotation] == "" {
		annotations[Annotation] = "true"
	}
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	u.SetName(s.Name)
	u.SetNamespace(s.Namespace)
	u.SetAnnotations(annotations)
	if len(s.Labels) > 0 {
		u.SetLabels(s.Labels)
	}
	data := make(map[string]any, len(s.Manifests))
	for key, text := range s.Manifests {
		data[key] = text
	}
	u.Object["data"] = data
	return u
}

func (s Spec) sortedKeys() []string { return slices.Sorted(maps.Keys(s.Manifests)) }
