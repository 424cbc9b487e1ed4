package memberpreview

import (
	"reflect"
	"slices"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// placedMarker returns a function that sets [diff.Difference.Placed] of differences of an object. If another client has set a value before a placement of the
// same value, the apply does not write the field, and that client remains its manager. Only a client-side apply records what it placed, and for a Secret only
// the keys.
func (m *Member) placedMarker(o *Object) func([]diff.Difference) {
	manager := m.Cluster.FieldManager("")
	changed := sync.OnceValue(func() []diff.Difference {
		applied := kube.LastApplied(o.Live, kube.ApplyOptions{})
		if applied == nil || o.IsSecret() {
			return nil
		}
		return diff.Partial(m.Schema, o.Desired, applied).Differences
	})
	return func(differences []diff.Difference) {
		for i := range differences {
			d := &differences[i]
			if !d.SetByOthers(manager) {
				continue
			}
			d.Placed = slices.ContainsFunc(changed(), func(c diff.Difference) bool {
				return c.Field == d.Field && c.HasMember && reflect.DeepEqual(c.InMember, d.InMember)
			})
		}
	}
}
