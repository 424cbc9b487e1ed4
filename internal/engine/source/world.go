package source

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// predict returns the result of a query on the hub after the same run has written its envelopes. It ignores the change of an envelope if a part of it is
// unknown.
func (o Options) predict(query selection.Query, answer []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if !envelope.IsEnvelopeKind(schema.GroupKind{Group: query.Kind.Group, Kind: query.Kind.Kind}) {
		return answer, nil
	}
	for _, reference := range slices.SortedFunc(maps.Keys(o.World.Envelopes), engine.Reference.Compare) {
		planned := o.World.Envelopes[reference]
		if planned.Partial || !isQueried(query, reference) {
			continue
		}
		answer = slices.DeleteFunc(slices.Clone(answer), func(u *unstructured.Unstructured) bool { return isStored(u, reference) })
		if planned.Want == nil {
			continue
		}
		stored, err := o.storedIn(*planned.Want)
		if err != nil {
			return nil, err
		}
		for _, u := range stored {
			gvk := u.GroupVersionKind()
			if gvk.Group == query.Kind.Group && gvk.Kind == query.Kind.Kind && hasLabels(query.LabelSelector, planned.Want.Labels) && !isTaken(answer, u) {
				answer = append(answer, u)
			}
		}
	}
	return answer, nil
}

// isStored reports whether an object stores an envelope, or a part of it. The annotation of a cluster-scoped object distinguishes envelopes with the same name
// in several namespaces. A cluster-scoped object without the annotation can store any of them.
func isStored(u *unstructured.Unstructured, reference engine.Reference) bool {
	namespace := cmp.Or(u.GetNamespace(), u.GetAnnotations()[envelope.NamespaceAnnotation])
	return u.GetName() == reference.Name && (namespace == reference.Namespace || namespace == "")
}

// isTaken reports whether an object of another envelope has the name of an object to write. The apply does not overwrite such an object.
func isTaken(answer []*unstructured.Unstructured, u *unstructured.Unstructured) bool {
	return slices.ContainsFunc(answer, func(other *unstructured.Unstructured) bool {
		return other.GetName() == u.GetName() && other.GetNamespace() == u.GetNamespace()
	})
}

func (o Options) storedIn(spec envelope.Spec) ([]*unstructured.Unstructured, error) {
	if o.Kept == nil {
		return []*unstructured.Unstructured{spec.ConfigMap()}, nil
	}
	return o.Kept(spec)
}

// isQueried reports whether a query includes an object of that name, regardless of labels.
func isQueried(query selection.Query, reference engine.Reference) bool {
	return (query.Namespace == "" || query.Namespace == reference.Namespace) && (query.Name == "" || query.Name == reference.Name)
}

func hasLabels(selector string, have map[string]string) bool {
	parsed, err := labels.Parse(selector)
	return err == nil && parsed.Matches(labels.Set(have))
}
