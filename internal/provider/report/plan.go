package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Plan is what the report of a plan depends on, besides the preview.
type Plan struct {
	Strategy placement.ApplyStrategy
	// NamesClusters reports that the policy names its clusters.
	NamesClusters bool
	// WantsNone reports that the policy asks for no cluster.
	WantsNone bool
	// Unfinished is what the last apply did not complete.
	Unfinished Unfinished
	// Refuse makes it an error if pre-existing objects will not be taken over.
	Refuse bool
	// Shown reports that the plan shows the changes which [Preview] returns. Otherwise they are a part of its warning.
	Shown bool
	// Listed reports whether the plan names an object elsewhere, for example in the digests of manifests. If Listed is nil, the plan names no object elsewhere.
	Listed func(manifest.Identifier) bool
	// Managed reports whether a resource of the run is known to manage a placement. If Managed is nil, none is.
	Managed func(placement string) bool
	// Freed are the objects that other plans delete because this placement is removed.
	Freed []engine.Occupied
	// First reports whether the run shows a text for the first time, so that it shows each advice once. If First is nil, advice is always shown.
	First func(text string) bool
}

func (p Plan) report(preview *engine.Preview) *model.Report {
	return model.New(preview, model.Options{
		Strategy: p.Strategy, NamesClusters: p.NamesClusters, WantsNone: p.WantsNone, Resumes: p.Unfinished.explains(preview), Listed: p.Listed, Managed: p.Managed,
	})
}

func (p Plan) first(text string) bool { return p.First == nil || p.First(text) }

func (p Plan) advise(text string) string {
	if !p.first(text) {
		return ""
	}
	return "\n\n" + text
}
