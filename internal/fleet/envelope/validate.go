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
		add(FieldAnnotations, Annotation, `the annotation makes the ConfigMap an envelope and is "true" in every one: leave it out`)
	}
	if _, found := s.Annotations[NamespaceAnnotation]; found {
		add(FieldAnnotations, NamespaceAnnotation, "the annotation says to which envelope a ClusterResourceEnvelope belongs, and is written with it: leave it out")
	}
	if selection.ReservedNamespace(s.Namespace) {
		problems = append(problems, Problem{
			Field: FieldNamespace, Warning: true,
			Message: fmt.Sprintf("namespace %s is reserved: a placement cannot select it with its content, so it cannot reach the envelope "+
				"that way", s.Namespace),
		})
	}
	return problems
}

func (s Spec) validateManifests() []Problem {
	if len(s.Manifests) == 0 {
		return []Problem{{Field: FieldManifests, Message: "the envelope holds no object: set at least one manifest, or configure no envelope (count = 0)"}}
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
			add(key, fmt.Sprintf("%s is there already, under key %q", object, first))
			continue
		}
		keyOf[object.Key()] = key
		if _, is := typeOf(object); is {
			add(key, fmt.Sprintf("%s is an envelope itself, and KubeFleet opens no envelope in another one: put its content here, or into a fleet_envelope_configmap "+
				"of its own", object))
		}
		if object.IsSecret() {
			problems = append(problems, Problem{
				Field: FieldManifests, Key: key, Warning: true,
				Message: fmt.Sprintf("%s: an envelope is a ConfigMap, so whoever may read ConfigMaps in namespace %s of the hub reads the values of "+
					"this Secret. Put it into the manifests or manifests_wo of the placement instead, which are kept in Secrets", object, s.Namespace),
			})
		}
	}
	if size > MaxSize {
		add("", fmt.Sprintf("the manifests have %d bytes, %d more than a ConfigMap can hold: distribute them over several envelopes",
			size, size-MaxSize))
	}
	return problems
}
