package report

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// MarkdownOptions say what a report has besides the preview.
type MarkdownOptions struct {
	// Replaces is why the placement is removed and created again, and the preview has both; "" for a placement that is not replaced.
	Replaces Replaces
	// WriteOnly are the objects from manifests_wo, which the preview does not have.
	WriteOnly []manifest.Identifier
}

func (o MarkdownOptions) verb() string {
	if o.Replaces != "" {
		return " will be REPLACED"
	}
	return ""
}

func (o MarkdownOptions) introduction(preview *engine.Preview) string {
	why := ""
	switch o.Replaces {
	case "":
		return ""
	case Retyped:
		why = "the `placement_type` changes"
	case Renamed:
		why = "the name changes"
	case Requested:
		why = "the resource is tainted, or its replacement was asked for"
	}
	if deletesNothing(preview) {
		return "> **REPLACED**: " + why + ", so the apply removes the placement first, and then finds its objects as pre-existing.\n\n"
	}
	return "> **REPLACED**: " + why + ", so the apply DELETES the objects of the placement first, and then creates them again. Until then " +
		"the workload is unavailable, and the data that it keeps on the clusters is lost.\n\n"
}

func (o MarkdownOptions) removalTitle() string {
	if o.Replaces != "" {
		return "Objects that are removed first"
	}
	return "Objects that are no longer placed"
}

func (o MarkdownOptions) notes() []string {
	if len(o.WriteOnly) == 0 {
		return nil
	}
	names := make([]string, len(o.WriteOnly))
	for i, id := range o.WriteOnly {
		names[i] = plain(id.String(), maxName)
	}
	return []string{fmt.Sprintf("Not checked, because this report does not have manifests_wo: %s. See the plan of the placement.", words.List(names, maxClusters))}
}
