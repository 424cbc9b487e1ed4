package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// OverrideEffects previews the effect of a change of overrides on placed objects. An [Engine] without overrides does not implement it.
type OverrideEffects interface {
	// PreviewOverrides compares the desired objects of existing placements before and after the change of overrides. It does not read the placed objects on
	// members. It returns an error if the change is not completely known.
	PreviewOverrides(ctx context.Context, change World) (OverridePreview, error)
}

// UnknownOverrides returns the error for a change of overrides that is not completely known. unknown names the unknown parts.
func UnknownOverrides(unknown []string) error {
	return fmt.Errorf("part of the configuration is known only after apply: %s", strings.Join(unknown, ", "))
}

// OverridePreview is the effect of a change of overrides on placed objects.
type OverridePreview struct {
	// Placements are the placements with a changed object, and those that could not be compared.
	Placements []OverriddenPlacement
	// Missed are the clusters whose placements could not be read.
	Missed []MissedCluster
}

// OverriddenPlacement is the effect on one placement.
type OverriddenPlacement struct {
	// Placement is the placement as text, as in [Placement].String.
	Placement string
	Clusters  []OverriddenCluster
	Err       error
}

// OverriddenCluster is the effect on one cluster.
type OverriddenCluster struct {
	Name    string
	Objects []OverriddenObject
	// Err is the reason why the overrides cannot be applied on the cluster.
	Err error
}

// OverriddenObject is a changed object.
type OverriddenObject struct {
	manifest.Identifier
	// LeftOut means that the object is no longer placed, Placed that it is placed again.
	LeftOut, Placed bool
	// Differences are the changed fields: InMember has the current value, InHub the next one.
	Differences []diff.Difference
}
