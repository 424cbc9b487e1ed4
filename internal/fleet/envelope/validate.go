package envelope

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// MaxSize is the maximum total size in bytes of the values in a ConfigMap.
const MaxSize = 1 << 20

// The fields of a Spec that can have problems.
const (
	FieldName        = "name"
	FieldNamespace   = "namespace"
	FieldLabels      = "labels"
	FieldAnnotations = "annotations"
	FieldManifests   = "manifests"
)

// Problem is a rule that a Spec breaks. Its text contains only the names of objects, not their content.
type Problem struct {
	// Field is one of the Field constants.
	Field string
	// Key is the key in that field, if the problem is about one.
	Key     string
	Message string
	// Warning marks an envelope that is accepted but probably not intended.
	Warning bool
}

// Validate lists the problems of the envelope: those for which the API server rejects the ConfigMap, and those for which KubeFleet fails to
// extract it.
func (s Spec) Validate() []Problem {
	return slices.Concat(s.validateMetadata(), s.validateManifests())
}

func (s Spec) validateMetadata() []Problem {
	var problems []Problem
	add := func(field, key, message string) {
		if message != "" {
			problems = append(problems, Problem{Field: field, Key: key, Message: message})
		}
	}
	add(FieldName, "", naming.Subdomain(s.Name))
	add(FieldNamespace, "", naming.Label(s.Namespace))
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		add(FieldLabels, key, naming.LabelKey(key))
		add(FieldLabels, key, naming.LabelValue(s.Labels[key]))
	}
	for _, key := range slices.Sorted(maps.Keys(s.Annotations)) {
		add(FieldAnnotations, key, naming.LabelKey(key))
	}
	if value, found := s.Annotations[Annotation]; found && value != "true" {
		add(FieldAnnotations, Annotation, "the annotation makes the ConfigMap an envelope, and the provider sets it to \"true\": omit it")
	}
	if _, found := s.Annotations[NamespaceAnnotation]; found {
		add(FieldAnnotations, NamespaceAnnotation, "the annotation names the envelope that a ClusterResourceEnvelope belongs to, and the provider "+
			"writes it: omit it")
	}
	if selection.ReservedNamespace(s.Namespace) {
		problems = append(problems, Problem{
			Field: FieldNamespace, Warning: true,
			Message: fmt.Sprintf("namespace %s is reserved: a placement cannot select it with its contents, so it cannot select the envelope either", s.Namespace),
		})
	}
	return problems
}

func (s Spec) validateManifests() []Problem {
	if len(s.Manifests) == 0 {
		return []Problem{{Field: FieldManifests, Message: "the envelope has no objects: set at least one manifest, or configure no envelope (count = " +
			"0)"}}
	}
	var problems []Problem
	add := func(key, message string) {
		problems = append(problems, Problem{Field: FieldManifests, Key: key, Message: message})
	}
	size := 0
	keyOf := map[manifest.Key]string{}
	for _, key := range s.sortedKeys() {
		size += len(s.Manifests[key])
		if message := naming.ConfigMapKey(key); message != "" {
			add(key, message)
		}
		object, err := parseEntry(key, s.Manifests[key], s.Namespace)
		if err != nil {
			add(key, err.Error())
			continue
		}
		if first, found := keyOf[object.Key()]; found {
			add(key, fmt.Sprintf("%s is a duplicate of the object in key %q", object, first))
			continue
		}
		keyOf[object.Key()] = key
		if _, is := typeOf(object); is {
			add(key, fmt.Sprintf("%s is an envelope itself, and KubeFleet does not open nested envelopes: put its contents here, or into a separate "+
				"fleet_envelope_configmap", object))
		}
		if object.IsSecret() {
			problems = append(problems, Problem{
				Field: FieldManifests, Key: key, Warning: true,
				Message: fmt.Sprintf("%s: an envelope is a ConfigMap, so everyone with the right to read ConfigMaps in namespace %s of the hub can "+
					"read the values of this Secret. Put it into the manifests or manifests_wo of the placement instead, which are stored in Secrets", object, s.Namespace),
			})
		}
	}
	if size > MaxSize {
		add("", fmt.Sprintf("the manifests have %d bytes, %d more than a ConfigMap can store: distribute them over several envelopes",
			size, size-MaxSize))
	}
	return problems
}
