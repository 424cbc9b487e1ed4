package clusterset

import (
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// maxPreviews is how many placements are previewed at a time.
const maxPreviews = 4

// PreviewEach previews placements, and returns those that a change affects: preview returns nil for the others. name is the placement as text, as in
// [engine.Placement.String].
func PreviewEach[P any](placements []P, name func(P) string, preview func(P) (*engine.Preview, error)) []engine.Consequence {
	found := make([]engine.Consequence, len(placements))
	group := errgroup.Group{}
	group.SetLimit(maxPreviews)
	for i, p := range placements {
		group.Go(func() error {
			shown, err := preview(p)
			found[i] = engine.Consequence{Placement: name(p), Preview: shown, Err: err}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
	return slices.DeleteFunc(found, func(c engine.Consequence) bool { return c.Preview == nil && c.Err == nil })
}
