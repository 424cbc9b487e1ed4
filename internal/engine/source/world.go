package source

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// foresee is the hub's answer to a query as it will be once the envelopes of the same run are written. One of which not everything is
// known yet stays as it is.
func (o Options) foresee(query selection.Query, answer []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if !envelope.Keeps(schema.GroupKind{Group: query.Kind.Group, Kind: query.Kind.Kind}) {
		return answer, nil
	}
	for reference, planned := range o.World.Envelopes {
		if planned.Partial || !asks(query, reference) {
			continue
		}
		answer = slices.DeleteFunc(slices.Clone(answer), func(u *unstructured.Unstructured) bool {
			return u.GetName() == reference.Name && (u.GetNamespace() == reference.Namespace || u.GetNamespace() == "")
		})
		if planned.Want == nil {
			continue
		}
		kept, err := o.kept(*planned.Want)
		if err != nil {
			return nil, err
		}
		for _, u := range kept {
			gvk := u.GroupVersionKind()
			if gvk.Group == query.Kind.Group && gvk.Kind == query.Kind.Kind && labelled(query.LabelSelector, planned.Want.Labels) {
				answer = append(answer, u)
			}
		}
	}
	return answer, nil
}

func (o Options) kept(spec envelope.Spec) ([]*unstructured.Unstructured, error) {
	if o.Kept == nil {
		return []*unstructured.Unstructured{spec.ConfigMap()}, nil
	}
	return o.Kept(spec)
}

// asks tells whether a query is about an object of that name, whatever its labels are.
func asks(query selection.Query, reference engine.Reference) bool {
	return (query.Namespace == "" || query.Namespace == reference.Namespace) && (query.Name == "" || query.Name == reference.Name)
}

func labelled(selector string, have map[string]string) bool {
	parsed, err := labels.Parse(selector)
	return err == nil && parsed.Matches(labels.Set(have))
}
