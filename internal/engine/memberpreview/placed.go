package memberpreview

import (
	"reflect"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// markPlaced sets [diff.Difference.Placed]. If another client has set a value before a placement of the same value, the apply does not write the field, and that
// client remains its manager. Only a client-side apply records what it placed, and for a Secret only the keys.
func (m *Member) markPlaced(o *Object, differences []diff.Difference) {
	manager := m.Cluster.FieldManager("")
	if o.IsSecret() || !slices.ContainsFunc(differences, func(d diff.Difference) bool { return d.SetByOthers(manager) }) {
		return
	}
	applied := kube.LastApplied(o.Live, kube.ApplyOptions{})
	if applied == nil {
		return
	}
	changed := diff.Partial(m.Schema, o.Desired, applied).Differences
	for i := range differences {
		d := &differences[i]
		d.Placed = slices.ContainsFunc(changed, func(c diff.Difference) bool {
			return c.Field == d.Field && c.HasMember && d.HasMember && reflect.DeepEqual(c.InMember, d.InMember)
		})
	}
}
