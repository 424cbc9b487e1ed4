package envelope

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Scope reports whether objects of a kind are namespaced, if that is known.
type Scope func(schema.GroupKind) (namespaced, known bool)

// Split separates cluster-scoped objects from those in the envelope's namespace, as hubs require. It sets the namespace of the latter and
// removes any namespace of the former, as API servers do. An object of an unknown kind is cluster-scoped if its manifest has no namespace. The
// errors are of type *[Error].
func (s Spec) Split(scope Scope) (namespaced, clusterScoped Spec, err error) {
	namespaced, clusterScoped = s, s
	namespaced.Manifests, clusterScoped.Manifests = map[string]string{}, map[string]string{}
	for _, key := range s.sortedKeys() {
		inNamespace, text, err := s.splitManifest(key, scope)
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

// splitManifest reports whether a manifest is namespaced, and returns its text with the corresponding namespace.
func (s Spec) splitManifest(key string, scope Scope) (namespaced bool, text string, err error) {
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
		text, err = withNamespace(object, text, s.Namespace)
	} else {
		text, err = withNamespace(object, text, "")
	}
	return namespaced, text, err
}

// withNamespace returns the text of an object with a namespace, or without one if namespace is empty. It does not reformat a text that already has the
// namespace.
func withNamespace(object manifest.Object, text, namespace string) (string, error) {
	if object.Namespace == namespace {
		return text, nil
	}
	content := object.Content.DeepCopy()
	content.SetNamespace(namespace)
	out, err := yaml.Marshal(content.Object)
	return string(out), err
}

// AsWritten returns the manifests that an envelope of the type stores. It replaces each manifest by the user's text of the same key, if both are equivalent.
// A user's text is equivalent even if it lacks the namespace that [Spec.Split] sets. The parameter written has the user's texts.
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
		current := before
		if object, err := parseEntry(key, before, s.Namespace); err == nil && as != TypeConfigMap {
			if current, err = withNamespace(object, before, namespace); err != nil {
				continue
			}
		}
		if manifest.Equivalent(current, text) {
			out[key] = before
		}
	}
	return out
}
