package session

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// namespaces are those that planned placements create.
type namespaces struct{ created engine.Namespaces }

// add records which Namespaces a placement creates.
func (n *namespaces) add(preview *engine.Preview) {
	for cluster, names := range preview.CreatedNamespaces() {
		for _, name := range names {
			if n.created == nil {
				n.created = engine.Namespaces{}
			}
			if n.created[cluster] == nil {
				n.created[cluster] = map[string]string{}
			}
			n.created[cluster][name] = preview.Placement
		}
	}
}

// create reports whether a placement creates one of the Namespaces, which are given by cluster, apart from the known ones.
func (n *namespaces) create(lacked map[string][]string, known engine.Namespaces) bool {
	for cluster, names := range lacked {
		if slices.ContainsFunc(names, func(name string) bool { return n.created[cluster][name] != "" && known[cluster][name] == "" }) {
			return true
		}
	}
	return false
}

// clone returns a copy for a preview.
func (n *namespaces) clone() engine.Namespaces {
	out := engine.Namespaces{}
	for cluster, names := range n.created {
		out[cluster] = maps.Clone(names)
	}
	return out
}

// withdraw removes the Namespaces that a placement creates, once it is applied.
func (n *namespaces) withdraw(name string) {
	for _, names := range n.created {
		maps.DeleteFunc(names, func(_, by string) bool { return by == name })
	}
}
