package report

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/markdown"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// MarkdownOptions are what a report has besides the preview.
type MarkdownOptions struct {
	// Replaces is why the placement is removed and created again, and the preview has both; "" for a placement that is not replaced.
	Replaces Replaces
	// WriteOnly are the objects from manifests_wo, which the preview does not have.
	WriteOnly []manifest.Identifier
	// Assumed are the assumptions of the preview. Moves compares its picks with those without the assumptions.
	Assumed []Assumption
	Moves   Moves
}

// Markdown returns what an apply would do as a comment on a pull request.
func Markdown(preview *engine.Preview, strategy placement.ApplyStrategy, options MarkdownOptions) string {
	out := markdown.Options{Added: options.Moves.Added, Dropped: options.Moves.Dropped}
	for _, a := range options.Assumed {
		out.Assumed = append(out.Assumed, a.String())
	}
	switch options.Replaces {
	case "":
	case Retyped:
		out.Replaced = "the `placement_type` changes"
	case Renamed:
		out.Replaced = "the name changes"
	case Requested:
		out.Replaced = "the resource is tainted, or its replacement was requested"
	}
	if len(options.WriteOnly) > 0 {
		names := make([]string, len(options.WriteOnly))
		for i, id := range options.WriteOnly {
			names[i] = model.Name(id.String())
		}
		out.Notes = []string{fmt.Sprintf("Not checked, because this report does not have manifests_wo: %s. See the plan of the placement.", words.List(names, model.MaxClusters))}
	}
	return markdown.Write(Plan{Strategy: strategy}.report(preview), out)
}

// NoMarkdown is the report of a placement without a preview.
func NoMarkdown(placement, why string) string {
	return markdown.WriteNone(model.Name(placement), printable.Cut(why, maxError))
}
