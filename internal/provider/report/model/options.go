package model

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const (
	// MaxClusters is the maximum number of clusters that a list names. A longer list names the first clusters and counts the others.
	MaxClusters = 3
	// MaxFields is the same maximum for fields and objects.
	MaxFields = 4
)

// Options are what a report depends on besides the preview.
type Options struct {
	Strategy placement.ApplyStrategy
	// NamesClusters reports that the policy names its clusters, WantsNone that it asks for no cluster.
	NamesClusters, WantsNone bool
	// Resumes reports that the apply completes an earlier one.
	Resumes bool
	// Listed reports whether the plan names an object elsewhere. If Listed is nil, it names none.
	Listed func(manifest.Identifier) bool
	// Managed reports whether a resource of the run is known to manage a placement. If Managed is nil, none is.
	Managed func(placement string) bool
}

// isUnchecked reports whether a cluster could not be checked and may have objects of the placement. A policy that names its clusters excludes the others.
func (o Options) isUnchecked(c engine.ClusterPreview) bool {
	return c.Err != nil && (c.Picked || c.Remains || !o.NamesClusters)
}

func hasObject(preview *engine.Preview, is func(engine.ObjectPreview) bool) bool {
	return slices.ContainsFunc(preview.Clusters, func(c engine.ClusterPreview) bool { return slices.ContainsFunc(c.Objects, is) })
}
