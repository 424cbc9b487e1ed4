package engine

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Kinds are the placements that define a kind on a cluster by placing its CustomResourceDefinition.
type Kinds = Brought[schema.GroupVersionKind]

// ProviderOfKind returns the placement of the run that defines a kind on a cluster, or "" if none is known.
func (w World) ProviderOfKind(cluster string, kind schema.GroupVersionKind) (placement string) {
	return w.Kinds[cluster][kind]
}

// Definitions are the kinds that CustomResourceDefinitions define, by the key of the definition.
type Definitions map[manifest.Key][]schema.GroupVersionKind

// ProvidedKinds returns the kinds that the placement defines on each cluster.
func (p *Preview) ProvidedKinds() map[string][]schema.GroupVersionKind {
	out := map[string][]schema.GroupVersionKind{}
	for _, cluster := range p.Clusters {
		if !cluster.Picked {
			continue
		}
		for _, o := range cluster.Objects {
			if o.Action.Places() {
				out[cluster.Name] = append(out[cluster.Name], p.Definitions[o.Key()]...)
			}
		}
	}
	return out
}

// Lack is a kind that objects of a placement need and clusters do not serve.
type Lack struct {
	Placement string
	Kind      schema.GroupVersionKind
	Clusters  []string
}

// Lacks returns the kinds that clusters do not serve and that no known placement of the run defines, in the order of the clusters and objects.
func (p *Preview) Lacks() []Lack {
	var out []Lack
	add := func(cluster string, kind schema.GroupVersionKind) {
		i := slices.IndexFunc(out, func(l Lack) bool { return l.Kind == kind })
		if i < 0 {
			i = len(out)
			out = append(out, Lack{Placement: p.Placement, Kind: kind})
		}
		if !slices.Contains(out[i].Clusters, cluster) {
			out[i].Clusters = append(out[i].Clusters, cluster)
		}
	}
	for _, cluster := range p.Clusters {
		for _, kind := range cluster.Unserved {
			add(cluster.Name, kind)
		}
		for _, o := range cluster.Objects {
			if o.Unserved && o.Action == takeover.ActionReject {
				add(cluster.Name, o.GroupVersionKind())
			}
		}
	}
	return out
}
