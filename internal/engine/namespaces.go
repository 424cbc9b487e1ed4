package engine

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"

// Namespaces are the placements that create a Namespace on a cluster, by cluster and by the name of the Namespace.
type Namespaces = Brought[string]

// CreatedNamespaces returns the names of the Namespaces that the placement creates, by cluster.
func (p *Preview) CreatedNamespaces() map[string][]string {
	return p.namespaces(func(o ObjectPreview) (name string, found bool) {
		return o.Name, o.IsNamespace() && o.Action == takeover.ActionCreate
	})
}

// LackedNamespaces returns the names of the Namespaces that objects of the placement need and clusters do not have, by cluster.
func (p *Preview) LackedNamespaces() map[string][]string {
	return p.namespaces(func(o ObjectPreview) (name string, found bool) { return o.Namespace, o.LacksNamespace })
}

func (p *Preview) namespaces(of func(ObjectPreview) (name string, found bool)) map[string][]string {
	out := map[string][]string{}
	for _, cluster := range p.Clusters {
		for _, o := range cluster.Objects {
			if name, found := of(o); found {
				out[cluster.Name] = append(out[cluster.Name], name)
			}
		}
	}
	return out
}
