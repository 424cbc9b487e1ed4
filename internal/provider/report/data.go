package report

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/html"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Data returns what an apply would do in the form that [html.Page] shows.
func Data(preview *engine.Preview, strategy placement.ApplyStrategy, additions Additions) (string, error) {
	r := Plan{Strategy: strategy}.report(preview)
	options := html.Options{Quiet: model.ListQuiet(preview), Notes: additions.notes()}
	if assumptions := additions.assumptions(); assumptions != nil {
		assumed, moves := assumptions.Describe(func(text string) string { return text })
		options.Introduction = append(options.Introduction, "Assumed: "+assumed, moves)
		options.Assumed = words.First(assumptions.Assumed, 1)
	}
	if why := additions.Replaces.describe(); why != "" {
		options.Introduction = append(options.Introduction, "REPLACED: "+r.DescribeReplacement(strings.ReplaceAll(why, "`", "")))
	}
	return html.Pack(r, options)
}

// NoData returns the data of a placement without a preview. why is the reason.
func NoData(placement, why string) (string, error) {
	return html.PackNone(model.Name(placement), printable.Cut(why, maxError))
}
