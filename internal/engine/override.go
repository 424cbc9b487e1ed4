package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Overrides make placed objects differ from cluster to cluster.
type Overrides interface {
	// CheckOverride tells what of an override the engine cannot express.
	CheckOverride(o Override) []Limitation
	// ApplyOverride records an override. A new one must not exist yet.
	ApplyOverride(ctx context.Context, o Override, prior *Override) (KeptOverride, error)
	// ReadOverride returns the recorded override, or [ErrNotFound]. For an override that was recreated, the error is a
	// [ReplacedError] on a hub, and a [ManagedElsewhereError] on members.
	ReadOverride(ctx context.Context, reference override.Reference, prior *Override) (KeptOverride, error)
	// DeleteOverride removes the records of an override.
	DeleteOverride(ctx context.Context, prior Override) error
}

// Override is one of the two kinds of overrides: with a spec for cluster-scoped objects, or with one for objects in its namespace.
type Override struct {
	override.Reference
	// UID is that of the object on a hub as it was read or written last, or the identity in the records on members; "" if it is not known. Another object
	// or record of the name is neither changed nor deleted.
	UID        string `json:"-"`
	Cluster    *override.ClusterSpec
	Namespaced *override.Spec
}

// KeptOverride is an override as it is recorded.
type KeptOverride struct {
	Override
	// MissingOn are the clusters that have not got it so; the next apply tells them. It is empty where a hub keeps overrides.
	MissingOn []string
	// FoundOn are the clusters that had a new override already, just as it is.
	FoundOn []string
}
