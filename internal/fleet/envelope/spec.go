package envelope

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Spec is an envelope as a user writes it.
type Spec struct {
	Name        string
	Namespace   string
	Labels      map[string]string
	Annotations map[string]string
	// WireFormat is what the envelope is kept in; empty is [FormatAuto].
	WireFormat WireFormat
	// Manifests holds the text of one object, YAML or JSON, under every key.
	Manifests map[string]string
}

// Objects returns the objects inside, sorted by key. Keys that do not hold one object are left out; [Spec.Validate] tells them.
func (s Spec) Objects() []manifest.Object {
	objects, _ := openConfigMap(manifest.NewObject(s.ConfigMap(), nil))
	return objects
}

// ConfigMap returns the annotated ConfigMap that users of KubeFleet write by hand.
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

// keys returns the keys of the manifests in order.
func (s Spec) keys() []string { return slices.Sorted(maps.Keys(s.Manifests)) }
