package workload

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// Validate lists the problems of a workload that is to be handed over, as far as they can be found without a cluster. The paths begin with an
// attribute of the identifier.
func Validate(id manifest.Identifier) []placement.Problem {
	kind := id.GroupVersionKind().GroupKind()
	out := selection.ValidateKind(nil, id.GroupVersionKind())
	add := func(attribute, message string) {
		out = append(out, placement.Problem{Path: placement.At(attribute), Message: message})
	}
	if reason, denied := selection.Denied(kind); denied {
		add("kind", "a "+id.Kind+" is never placed, because "+reason)
	} else if reason, unfit := UnfitKind(kind); unfit {
		add("kind", "a "+id.Kind+" cannot be handed over, because "+reason)
	}
	switch namespaced, known := selection.BuiltInScope(kind); {
	case known && namespaced && id.Namespace == "":
		add("namespace", "a "+id.Kind+" is namespaced: set the namespace")
	case known && !namespaced && id.Namespace != "":
		add("namespace", "a "+id.Kind+" is cluster-scoped: remove the namespace")
	case selection.ReservedContent(id.Namespace):
		add("namespace", "it is reserved: the objects in "+id.Namespace+" belong to the cluster or the fleet, and are never placed")
	case id.IsNamespace() && selection.ReservedNamespace(id.Name):
		add("name", "the namespace is reserved: it belongs to the cluster or the fleet, and is never placed")
	}
	return out
}
