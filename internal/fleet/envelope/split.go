package envelope

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Scope tells whether objects of a kind are in namespaces, as far as that is known.
type Scope func(schema.GroupKind) (namespaced, known bool)

// Split keeps cluster-scoped objects apart from those in the envelope's namespace, as hubs want it. The latter get their namespace, and what the
// former say of one goes, as API servers do it. A kind that is not known is taken for what its manifest says: one without a namespace is
// cluster-scoped. The errors are of type *[Error].
func (s Spec) Split(scope Scope) (namespaced, clusterScoped Spec, err error) {
	namespaced, clusterScoped = s, s
	namespaced.Manifests, clusterScoped.Manifests = map[string]string{}, map[string]string{}
	for _, key := range s.keys() {
		inNamespace, text, err := s.divide(key, scope)
		if err != nil {
			self := manifest.Envelope{Name: s.Name, Namespace: s.Namespace, Type: string(TypeResourceEnvelope)}
			return Spec{}, Spec{}, &Error{Envelope: self, Key: key, Err: err}
		}
		if inNamespace {
			namespaced.Manifests[key] = text
		} else {
			clusterScoped.Manifests[key] = text
		}
	}
	clusterScoped.Labels, clusterScoped.Annotations = maps.Clone(s.Labels), maps.Clone(s.Annotations)
	return namespaced, clusterScoped, nil
}

// divide tells where a manifest belongs, and how it is written there.
func (s Spec) divide(key string, scope Scope) (namespaced bool, text string, err error) {
	text = s.Manifests[key]
	object, err := parseEntry(key, text, s.Namespace)
	if err != nil {
		return false, "", err
	}
	namespaced, known := scope(object.GroupVersionKind().GroupKind())
	if !known {
		namespaced = object.Namespace != ""
	}
	if namespaced {
		text, err = placed(object, text, s.Namespace)
	} else {
		text, err = placed(object, text, "")
	}
	return namespaced, text, err
}

// placed is the text of an object in a namespace, or in none: its own text if that says so.
func placed(object manifest.Object, text, namespace string) (string, error) {
	if object.Namespace == namespace {
		return text, nil
	}
	content := object.Content.DeepCopy()
	content.SetNamespace(namespace)
	out, err := yaml.Marshal(content.Object)
	return string(out), err
}

// AsWritten returns the manifests that a type of envelope keeps in the words in which they were written, wherever both mean the same: of a namespace
// that [Spec.Split] has filled in, a manifest need not say anything.
func (s Spec) AsWritten(as Type, written map[string]string) map[string]string {
	namespace := s.Namespace
	if as == TypeClusterResourceEnvelope {
		namespace = ""
	}
	out := maps.Clone(s.Manifests)
	for key, text := range s.Manifests {
		before, found := written[key]
		if !found {
			continue
		}
		kept := before
		if object, err := parseEntry(key, before, s.Namespace); err == nil && as != TypeConfigMap {
			if kept, err = placed(object, before, namespace); err != nil {
				continue
			}
		}
		if manifest.Equivalent(kept, text) {
			out[key] = before
		}
	}
	return out
}
