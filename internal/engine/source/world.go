package source

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// foresee is the hub's answer to a query as it will be once the envelopes of the same run are written. One of which not everything is
// known yet stays as it is.
func foresee(world engine.World, query selection.Query, answer []*unstructured.Unstructured) []*unstructured.Unstructured {
	kind := envelope.TypeConfigMap.Kind()
	if query.Kind.Group != kind.Group || query.Kind.Kind != kind.Kind {
		return answer
	}
	for reference, planned := range world.Envelopes {
		if planned.Partial || !asks(query, reference) {
			continue
		}
		answer = slices.DeleteFunc(slices.Clone(answer), func(u *unstructured.Unstructured) bool {
			return engine.Reference{Namespace: u.GetNamespace(), Name: u.GetName()} == reference
		})
		if planned.Want != nil && labelled(query.LabelSelector, planned.Want.Labels) {
			answer = append(answer, planned.Want.ConfigMap())
		}
	}
	return answer
}

// asks tells whether a query is about an object of that name, whatever its labels are.
func asks(query selection.Query, reference engine.Reference) bool {
	return (query.Namespace == "" || query.Namespace == reference.Namespace) && (query.Name == "" || query.Name == reference.Name)
}

func labelled(selector string, have map[string]string) bool {
	parsed, err := labels.Parse(selector)
	return err == nil && parsed.Matches(labels.Set(have))
}
