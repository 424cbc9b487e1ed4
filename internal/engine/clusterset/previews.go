package clusterset

import (
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

const maxPreviews = 4

// PreviewEach previews placements. preview returns nil for a placement that a change does not affect, and PreviewEach omits this placement. name returns the
// placement as text, as [engine.Placement.String] does.
func PreviewEach[P any](placements []P, name func(P) string, preview func(P) (*engine.Preview, error)) []engine.Consequence {
	found := make([]engine.Consequence, len(placements))
	group := errgroup.Group{}
	group.SetLimit(maxPreviews)
	for i, p := range placements {
		group.Go(func() error {
			result, err := preview(p)
			found[i] = engine.Consequence{Placement: name(p), Preview: result, Err: err}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
	return slices.DeleteFunc(found, func(c engine.Consequence) bool { return c.Preview == nil && c.Err == nil })
}
