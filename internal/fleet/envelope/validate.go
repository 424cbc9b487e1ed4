package envelope

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// MaxSize is the maximum total size in bytes of the values in a ConfigMap.
const MaxSize = 1 << 20

// Validate lists the problems of the envelope: each reason why the API server would reject the ConfigMap, or why the provider or KubeFleet could
// not use it. It adds warnings about Secrets and about a reserved namespace.
func (s Spec) Validate() []placement.Problem {
	return slices.Concat(s.validateMetadata(), s.validateManifests())
}

func (s Spec) validateMetadata() []placement.Problem {
	var problems []placement.Problem
	add := func(path placement.Path, message string) {
		if message != "" {
			problems = append(problems, placement.Problem{Path: path, Message: message})
		}
	}
	add(placement.At("name"), naming.Subdomain(s.Name))
	add(placement.At("namespace"), naming.Label(s.Namespace))
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		add(placement.At("labels").Key(key), naming.LabelKey(key))
		add(placement.At("labels").Key(key), naming.LabelValue(s.Labels[key]))
	}
	for _, key := range slices.Sorted(maps.Keys(s.Annotations)) {
		add(placement.At("annotations").Key(key), naming.LabelKey(key))
	}
	if value, found := s.Annotations[Annotation]; found && value != "true" {
		add(placement.At("annotations").Key(Annotation), "the annotation makes the ConfigMap an envelope, and the provider sets it to \"true\": omit it")
	}
	if _, found := s.Annotations[NamespaceAnnotation]; found {
		add(placement.At("annotations").Key(NamespaceAnnotation), "the provider sets this annotation to the namespace of the envelope: "+
			"omit it")
	}
	if selection.ReservedNamespace(s.Namespace) {
		problems = append(problems, placement.Problem{
			Path: placement.At("namespace"), Warning: true,
			Message: fmt.Sprintf("namespace %s is reserved: a placement cannot select it with its contents, so it cannot select the envelope either", s.Namespace),
		})
	}
	return problems
}

func (s Spec) validateManifests() []placement.Problem {
	at := placement.At("manifests")
	if len(s.Manifests) == 0 {
		return []placement.Problem{{Path: at, Message: "the envelope has no objects: set at least one manifest, or configure no envelope (count = " +
			"0)"}}
	}
	var problems []placement.Problem
	add := func(path placement.Path, message string) {
		problems = append(problems, placement.Problem{Path: path, Message: message})
	}
	size := 0
	keyOf := map[manifest.Key]string{}
	for _, key := range s.sortedKeys() {
		size += len(s.Manifests[key])
		if message := naming.ConfigMapKey(key); message != "" {
			add(at.Key(key), message)
		}
		object, err := parseEntry(key, s.Manifests[key], s.Namespace)
		if err != nil {
			add(at.Key(key), err.Error())
			continue
		}
		if first, found := keyOf[object.Key()]; found {
			add(at.Key(key), fmt.Sprintf("%s is a duplicate of the object in key %q", object, first))
			continue
		}
		keyOf[object.Key()] = key
		if _, is := typeOf(object); is {
			add(at.Key(key), fmt.Sprintf("%s is an envelope itself, and KubeFleet does not open nested envelopes: put its contents here, or into a separate "+
				"fleet_envelope_configmap", object))
		}
		if object.IsSecret() {
			problems = append(problems, placement.Problem{
				Path: at.Key(key), Warning: true,
				Message: fmt.Sprintf("%s: an envelope is a ConfigMap, so everyone with the right to read ConfigMaps in namespace %s of the hub can "+
					"read the values of this Secret. Put it into the manifests or manifests_wo of the placement instead, which are stored in Secrets", object, s.Namespace),
			})
		}
	}
	if size > MaxSize {
		add(at, fmt.Sprintf("the manifests have %d bytes, %d more than a ConfigMap can store: distribute them over several envelopes",
			size, size-MaxSize))
	}
	return problems
}
