package envelope

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Scope tells whether objects of a kind are in namespaces, as far as that is known.
type Scope func(schema.GroupKind) (namespaced, known bool)

// Split keeps cluster-scoped objects apart from those in the envelope's namespace, as hubs want it, and gives the latter their namespace. A kind
// that is not known is taken for what its manifest says: one without a namespace is cluster-scoped. The errors are of type *[Error].
func (s Spec) Split(scope Scope) (namespaced, clusterScoped Spec, err error) {
	namespaced, clusterScoped = s, s
	namespaced.Manifests, clusterScoped.Manifests = map[string]string{}, map[string]string{}
	for _, key := range s.keys() {
		object, err := parseEntry(key, s.Manifests[key], s.Namespace)
		if err != nil {
			return Spec{}, Spec{}, &Error{Envelope: manifest.Envelope{Name: s.Name, Namespace: s.Namespace, Type: string(TypeResourceEnvelope)}, Key: key, Err: err}
		}
		inNamespace, known := scope(object.GroupVersionKind().GroupKind())
		if !known {
			inNamespace = object.Namespace != ""
		}
		if !inNamespace {
			clusterScoped.Manifests[key] = s.Manifests[key]
			continue
		}
		text := s.Manifests[key]
		if object.Namespace == "" {
			placed := object.Content.DeepCopy()
			placed.SetNamespace(s.Namespace)
			out, err := yaml.Marshal(placed.Object)
			if err != nil {
				return Spec{}, Spec{}, &Error{Envelope: manifest.Envelope{Name: s.Name, Namespace: s.Namespace, Type: string(TypeResourceEnvelope)}, Key: key, Err: err}
			}
			text = string(out)
		}
		namespaced.Manifests[key] = text
	}
	clusterScoped.Labels, clusterScoped.Annotations = maps.Clone(s.Labels), maps.Clone(s.Annotations)
	return namespaced, clusterScoped, nil
}
