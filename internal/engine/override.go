package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Overrides make placed objects differ from cluster to cluster.
type Overrides interface {
	// ApplyOverride records an override. It returns the members that could not be told of it; the next apply tells them.
	ApplyOverride(ctx context.Context, o Override, create bool) (missing []string, err error)
	// ReadOverride returns an override as it is recorded and the members that have not got it so, or [ErrNotFound].
	ReadOverride(ctx context.Context, reference override.Reference) (o Override, missing []string, err error)
	// DeleteOverride removes the records of an override.
	DeleteOverride(ctx context.Context, reference override.Reference) error
}

// Override is one of the two kinds of overrides: with a spec for cluster-scoped objects, or with one for objects in its namespace.
type Override struct {
	override.Reference
	Cluster    *override.ClusterSpec
	Namespaced *override.Spec
}
