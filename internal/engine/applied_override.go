package engine

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// AppliedOverride is an override that is recorded on a cluster and that changes an object there.
type AppliedOverride struct {
	override.Reference
	// Record names the record on the cluster.
	Record string
}

// UnmanagedOverride is an override that changes objects on clusters although no known resource of the run manages it. Every client that may
// write the records of a member can create one.
type UnmanagedOverride struct {
	AppliedOverride
	// Clusters are the clusters on which the override changes objects, sorted by name.
	Clusters []string
}

// FindUnmanaged sets Unmanaged to the applied overrides for which managed returns false, sorted by Record.
func (p *Preview) FindUnmanaged(managed func(override.Reference) bool) {
	on := map[AppliedOverride][]string{}
	for _, cluster := range p.Clusters {
		for _, o := range cluster.Overrides {
			if !managed(o.Reference) {
				on[o] = append(on[o], cluster.Name)
			}
		}
	}
	p.Unmanaged = nil
	for o, clusters := range on {
		p.Unmanaged = append(p.Unmanaged, UnmanagedOverride{AppliedOverride: o, Clusters: clusters})
	}
	slices.SortFunc(p.Unmanaged, func(a, b UnmanagedOverride) int { return strings.Compare(a.Record, b.Record) })
}
