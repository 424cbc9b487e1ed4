package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/markdown"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Markdown returns what an apply would do as a comment on a pull request.
func Markdown(preview *engine.Preview, strategy placement.ApplyStrategy, options Additions) string {
	return markdown.Write(Plan{Strategy: strategy}.report(preview), markdown.Options{
		Replaced: options.Replaces.describe(), Notes: options.notes(), Assumptions: options.assumptions(),
	})
}

// NoMarkdown returns the report of a placement without a preview. why is the reason.
func NoMarkdown(placement, why string) string {
	return markdown.WriteNone(model.Name(placement), printable.Cut(why, maxError))
}
