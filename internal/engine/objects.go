package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Objects is a set of objects by cluster.
type Objects map[string]map[manifest.Key]bool

// Placed returns the existing objects that the placement owns, and those for which [ObjectPreview.Conflict] reports true. It omits objects that are no longer
// placed.
func (p *Preview) Placed() Objects {
	return p.objects(func(o ObjectPreview) bool {
		return o.Exists && !o.Action.IsDeparture() && (o.Owned || o.Conflict())
	})
}

// Deleted returns the objects that are deleted and not recreated.
func (p *Preview) Deleted() Objects {
	return p.objects(func(o ObjectPreview) bool { return o.Action == takeover.ActionPrune })
}

// LeftAlone returns the existing objects that the placement lists, and leaves to their owner or cannot write.
func (p *Preview) LeftAlone() Objects {
	return p.objects(func(o ObjectPreview) bool {
		return o.Exists && (o.Action == takeover.ActionLeaveAlone || o.Action == takeover.ActionReject)
	})
}

// Any reports whether the set has an object.
func (o Objects) Any() bool {
	for _, objects := range o {
		if len(objects) > 0 {
			return true
		}
	}
	return false
}

func (p *Preview) objects(which func(ObjectPreview) bool) Objects {
	out := Objects{}
	for _, cluster := range p.Clusters {
		out[cluster.Name] = map[manifest.Key]bool{}
		for _, o := range cluster.Objects {
			if which(o) {
				out[cluster.Name][o.Key()] = true
			}
		}
	}
	return out
}

// Overlap is an object that two placements share on a cluster.
type Overlap struct {
	Cluster string
	Object  manifest.Key
}

// Overlaps returns the objects in both sets, sorted by cluster and object.
func (o Objects) Overlaps(other Objects) []Overlap {
	var out []Overlap
	for cluster, objects := range o {
		for key := range objects {
			if other[cluster][key] {
				out = append(out, Overlap{Cluster: cluster, Object: key})
			}
		}
	}
	slices.SortFunc(out, func(a, b Overlap) int {
		return cmp.Or(strings.Compare(a.Cluster, b.Cluster), a.Object.Compare(b.Object))
	})
	return out
}
