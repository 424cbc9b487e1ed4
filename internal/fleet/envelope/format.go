package envelope

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Format is the kind of object that a hub keeps an envelope in.
type Format string

// The formats.
const (
	// FormatConfigMap is the annotated ConfigMap, which holds texts.
	FormatConfigMap Format = TypeConfigMap
	// FormatResourceEnvelope holds objects of its own namespace, FormatClusterResourceEnvelope cluster-scoped ones.
	FormatResourceEnvelope        Format = TypeResourceEnvelope
	FormatClusterResourceEnvelope Format = TypeClusterResourceEnvelope
)

// Values lists the formats.
func (Format) Values() []Format {
	return []Format{FormatConfigMap, FormatResourceEnvelope, FormatClusterResourceEnvelope}
}

// Kind is the kind of the object, in the version that all hubs which have it serve.
func (f Format) Kind() schema.GroupVersionKind {
	if f == FormatConfigMap {
		return configMapKind.WithVersion("v1")
	}
	return schema.GroupVersionKind{Group: resourceEnvelopeKind.Group, Version: "v1beta1", Kind: string(f)}
}

// Encode writes an envelope in a format. A manifest that is not one object is an *[Error]: only the ConfigMap holds texts as they are.
func (s Spec) Encode(format Format) (*unstructured.Unstructured, error) {
	if format == FormatConfigMap {
		return s.ConfigMap(), nil
	}
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(format.Kind())
	u.SetName(s.Name)
	if format == FormatResourceEnvelope {
		u.SetNamespace(s.Namespace)
	}
	if len(s.Annotations) > 0 {
		u.SetAnnotations(maps.Clone(s.Annotations))
	}
	if len(s.Labels) > 0 {
		u.SetLabels(maps.Clone(s.Labels))
	}
	self := manifest.Envelope{Name: s.Name, Namespace: u.GetNamespace(), Type: string(format)}
	data := make(map[string]any, len(s.Manifests))
	for _, key := range s.keys() {
		object, err := parseEntry(key, s.Manifests[key], s.Namespace)
		if err != nil {
			return nil, &Error{Envelope: self, Key: key, Err: err}
		}
		data[key] = object.Content.Object
	}
	u.Object["data"] = data
	return u, nil
}

// Decode reads an envelope from the object that a hub keeps it in, whether it is marked as an envelope or not: one that has lost its mark
// shows it by its annotations. Objects that are not kept as texts are written as YAML.
func Decode(u *unstructured.Unstructured) (Spec, Format, error) {
	spec := Spec{Name: u.GetName(), Namespace: u.GetNamespace(), Labels: u.GetLabels(), Annotations: u.GetAnnotations()}
	for _, format := range (Format)("").Values() {
		if u.GroupVersionKind().GroupKind() != format.Kind().GroupKind() {
			continue
		}
		if format == FormatConfigMap {
			spec.Manifests, _, _ = unstructured.NestedStringMap(u.Object, "data")
			return spec, format, nil
		}
		data, _, err := unstructured.NestedMap(u.Object, "data")
		if err != nil {
			return Spec{}, "", &Error{Envelope: manifest.Envelope{Name: spec.Name, Namespace: spec.Namespace, Type: string(format)}, Err: errNotMapping}
		}
		spec.Manifests = make(map[string]string, len(data))
		for key, value := range data {
			text, err := yaml.Marshal(value)
			if err != nil {
				return Spec{}, "", &Error{Envelope: manifest.Envelope{Name: spec.Name, Namespace: spec.Namespace, Type: string(format)}, Key: key, Err: err}
			}
			spec.Manifests[key] = string(text)
		}
		return spec, format, nil
	}
	return Spec{}, "", fmt.Errorf("%s is no kind that envelopes are kept in", u.GroupVersionKind().GroupKind())
}
