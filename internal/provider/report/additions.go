package report

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Additions are the data of a report that are not in the preview.
type Additions struct {
	// Replaces is the reason why the placement is removed and created again, or "". If it is set, the preview shows the removal and the creation.
	Replaces Replaces
	// WriteOnly are the objects from manifests_wo, which the preview does not have.
	WriteOnly []manifest.Identifier
	// Assumed are the assumptions of the preview. Moves compares the picked clusters with and without the assumptions.
	Assumed []Assumption
	Moves   Moves
}

func (r Replaces) describe() string {
	switch r {
	case Retyped:
		return "the `placement_type` changes"
	case Renamed:
		return "the name changes"
	case Requested:
		return "the resource is tainted, or its replacement was requested"
	}
	return ""
}

func (o Additions) notes() []string {
	if len(o.WriteOnly) == 0 {
		return nil
	}
	names := make([]string, len(o.WriteOnly))
	for i, id := range o.WriteOnly {
		names[i] = model.Name(id.String())
	}
	return []string{fmt.Sprintf("Not checked, because this report does not have manifests_wo: %s. See the plan of the placement.", words.List(names, model.MaxClusters))}
}
