package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// OverrideEffects previews what a change of overrides makes of placed objects. An [Engine] without overrides does not implement it.
type OverrideEffects interface {
	// PreviewOverrides compares the objects of existing placements as they are to be with the overrides of now and with those of the change. No object on a
	// member is read. It returns an error if the change is not completely known.
	PreviewOverrides(ctx context.Context, change World) (OverridePreview, error)
}

// UnknownOverrides is the error of a change of overrides that is not completely known. unknown names what is not.
func UnknownOverrides(unknown []string) error {
	return fmt.Errorf("part of the configuration is known only after apply: %s", strings.Join(unknown, ", "))
}

// OverridePreview is what a change of overrides makes of placed objects.
type OverridePreview struct {
	// Placements are those with an object that becomes another one, and those that could not be compared.
	Placements []OverriddenPlacement
	// Missed are the clusters whose placements could not be read.
	Missed []MissedCluster
}

// OverriddenPlacement is one placement.
type OverriddenPlacement struct {
	// Placement is the placement as text, as in [Placement].String.
	Placement string
	Clusters  []OverriddenCluster
	// Err is why the placement could not be compared.
	Err error
}

// OverriddenCluster is what changes on one cluster.
type OverriddenCluster struct {
	Name    string
	Objects []OverriddenObject
	// Err is why the overrides cannot be applied there.
	Err error
}

// OverriddenObject is an object that becomes another one.
type OverriddenObject struct {
	manifest.Identifier
	// LeftOut reports that the object is no longer placed, Placed that it is placed again.
	LeftOut, Placed bool
	// Differences are the changed fields: InMember has the value of now, and InHub the next one.
	Differences []diff.Difference
}
