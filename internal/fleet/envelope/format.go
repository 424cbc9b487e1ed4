package envelope

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// WireFormat is the kind of object in which an envelope is stored. It has a Values method for validators and documentation.
type WireFormat string

// The formats. Auto selects a kind that the hub serves, and separates cluster-scoped from namespaced objects.
const (
	FormatAuto                    WireFormat = "Auto"
	FormatConfigMap               WireFormat = WireFormat(TypeConfigMap)
	FormatResourceEnvelope        WireFormat = WireFormat(TypeResourceEnvelope)
	FormatClusterResourceEnvelope WireFormat = WireFormat(TypeClusterResourceEnvelope)
)

// Values lists the values in the order in which they are documented.
func (WireFormat) Values() []string {
	return append([]string{string(FormatAuto)}, Type("").Values()...)
}

// Kind returns the kind of the object, in the version that is common to all hubs that serve the kind.
func (t Type) Kind() schema.GroupVersionKind {
	if t == TypeConfigMap {
		return configMapKind.WithVersion("v1")
	}
	return schema.GroupVersionKind{Group: resourceEnvelopeKind.Group, Version: "v1beta1", Kind: string(t)}
}

// Encode returns an envelope as an object of a type. For the inline types, it returns an *[Error] if a manifest is not exactly one object, or
// is in another namespace. A ConfigMap stores the texts unchanged.
func (s Spec) Encode(as Type) (*unstructured.Unstructured, error) {
	if as == TypeConfigMap {
		return s.ConfigMap(), nil
	}
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(as.Kind())
	u.SetName(s.Name)
	annotations := maps.Clone(s.Annotations)
	if as == TypeResourceEnvelope {
		u.SetNamespace(s.Namespace)
	} else if s.Namespace != "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[NamespaceAnnotation] = s.Namespace
	}
	if len(annotations) > 0 {
		u.SetAnnotations(annotations)
	}
	if len(s.Labels) > 0 {
		u.SetLabels(maps.Clone(s.Labels))
	}
	self := manifest.Envelope{Name: s.Name, Namespace: u.GetNamespace(), Type: string(as)}
	data := make(map[string]any, len(s.Manifests))
	for _, key := range s.sortedKeys() {
		object, err := parseEntry(key, s.Manifests[key], s.Namespace)
		if err != nil {
			return nil, &Error{Envelope: self, Key: key, Err: err}
		}
		data[key] = object.Content.Object
	}
	u.Object["data"] = data
	return u, nil
}

// Decode returns an envelope from the object in which a hub stores it. It accepts a ConfigMap without [Annotation]; the annotations of the result
// show whether the ConfigMap has it. A ClusterResourceEnvelope without a NamespaceAnnotation has no namespace. Inline objects are encoded as YAML.
func Decode(u *unstructured.Unstructured) (Spec, Type, error) {
	spec := Spec{Name: u.GetName(), Namespace: u.GetNamespace(), Labels: u.GetLabels(), Annotations: u.GetAnnotations()}
	var is Type
	switch u.GroupVersionKind().GroupKind() {
	case configMapKind:
		spec.Manifests, _, _ = unstructured.NestedStringMap(u.Object, "data")
		return spec, TypeConfigMap, nil
	case resourceEnvelopeKind:
		is = TypeResourceEnvelope
	case clusterResourceEnvelopeKind:
		is = TypeClusterResourceEnvelope
		spec.Namespace = spec.Annotations[NamespaceAnnotation]
		delete(spec.Annotations, NamespaceAnnotation)
	default:
		return Spec{}, "", fmt.Errorf("%s is not a kind that stores envelopes", u.GroupVersionKind().GroupKind())
	}
	self := manifest.Envelope{Name: spec.Name, Namespace: u.GetNamespace(), Type: string(is)}
	data, _, err := unstructured.NestedMap(u.Object, "data")
	if err != nil {
		return Spec{}, "", &Error{Envelope: self, Err: errNotMapping}
	}
	spec.Manifests = make(map[string]string, len(data))
	for key, value := range data {
		text, err := yaml.Marshal(value)
		if err != nil {
			return Spec{}, "", &Error{Envelope: self, Key: key, Err: err}
		}
		spec.Manifests[key] = string(text)
	}
	return spec, is, nil
}
