package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Overrides change placed objects on individual clusters.
type Overrides interface {
	// CheckOverride returns the settings of an override that the engine does not support.
	CheckOverride(o Override) []Limitation
	// ApplyOverride records an override. If prior is nil, the override must not exist yet. Members may already have an identical record; see
	// [KeptOverride.FoundOn].
	ApplyOverride(ctx context.Context, o Override, prior *Override) (KeptOverride, error)
	// ReadOverride returns the recorded override, or [ErrNotFound]. For an override that was recreated, the error is a
	// [ReplacedError] on a hub, and a [ManagedElsewhereError] on members.
	ReadOverride(ctx context.Context, reference override.Reference, prior *Override) (KeptOverride, error)
	// DeleteOverride removes the records of an override.
	DeleteOverride(ctx context.Context, prior Override) error
}

// Override is one of the two kinds of overrides: for cluster-scoped objects, or for objects in its namespace.
type Override struct {
	override.Reference
	// UID is the UID of the object on a hub at the last read or write, or the identity in the records on members; "" if unknown. An
	// object or record with another identity is neither changed nor deleted.
	UID        string `json:"-"`
	Cluster    *override.ClusterSpec
	Namespaced *override.Spec
}

// KeptOverride is a recorded override.
type KeptOverride struct {
	Override
	// MissingOn are the clusters whose record differs or is missing; the next apply writes it. It is empty if a hub stores overrides.
	MissingOn []string
	// FoundOn are the clusters that already had an identical record of a new override.
	FoundOn []string
}
