package selection

import (
	"encoding/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ValidateSelectors lists the problems of selectors that can be found without a cluster, such as a kind that is never placed. [placement.Validate]
// checks the rules of the API.
func ValidateSelectors(at placement.Path, selectors []placement.ResourceSelector) []placement.Problem {
	return validateSelectors(at, selectors, false)
}

// ValidateSelectorsIn does the same as [ValidateSelectors] for a placement in a namespace.
func ValidateSelectorsIn(at placement.Path, selectors []placement.ResourceSelector) []placement.Problem {
	return validateSelectors(at, selectors, true)
}

func validateSelectors(at placement.Path, selectors []placement.ResourceSelector, inNamespace bool) []placement.Problem {
	var v validator
	_, opened := findOpeningSelector(selectors)
	seen := map[string]int{}
	for i, s := range selectors {
		here := at.Index(i)
		v.problems = append(v.problems, ValidateKind(here, kindOf(s))...)
		if s.Name == "" && s.LabelSelector == nil && kindOf(s).Kind == "" {
			continue
		}
		if kindOf(s) == namespaceKind && ReservedNamespace(s.Name) {
			v.add(here.Attribute("name"), "the namespace %s is reserved: it belongs to the cluster or the fleet, and is never placed", s.Name)
		}
		if reason, denied := Denied(kindOf(s).GroupKind()); denied {
			v.add(here.Attribute("kind"), "a %s is never placed, because %s", s.Kind, reason)
		} else if namespaced, known := BuiltInScope(kindOf(s).GroupKind()); known && inNamespace && !namespaced {
			v.add(here.Attribute("kind"), "a %s is cluster-scoped, and a namespaced placement places only objects in its namespace: select it in a "+
				"fleet_crp", s.Kind)
		} else if known && namespaced && !opened && !inNamespace {
			v.add(here.Attribute("kind"), "a %s is namespaced, and a placement selects namespaces: select its Namespace, and set the selection_scope "+
				"NamespaceWithResourceSelectors in that selector to select objects in it", s.Kind)
		}
		if s.SelectionScope != "" && kindOf(s).GroupKind() != namespaceKind.GroupKind() {
			v.add(here.Attribute("selection_scope"), "it determines which objects a Namespace includes, and has no effect on a %s: omit it", s.Kind)
		}
		text, _ := json.Marshal(s) // the API's types are JSON
		if first, found := seen[string(text)]; found {
			v.add(here, "it is the same as selector %d: remove one of them", first)
			continue
		}
		seen[string(text)] = i
	}
	return v.problems
}
