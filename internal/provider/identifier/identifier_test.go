package identifier

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
)

func TestRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range 300 {
		id := arbitrary.Value[manifest.Identifier](g)
		if diff := cmp.Diff(id, Flatten(id).Expand()); diff != "" {
			t.Fatal(diff)
		}
		m := arbitrary.Value[Model](g)
		if diff := cmp.Diff(m, Flatten(m.Expand())); diff != "" {
			t.Fatal(diff)
		}
	}
}
