package memberpreview

import (
	"reflect"
	"slices"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// placedMarker returns a function that sets [diff.Difference.Placed] of differences of an object. If another client has set a value before a placement of the
// same value, the apply does not write the field, and that client remains its manager. Only a client-side apply records what it placed, and for a Secret only
// the keys.
func (m *Member) placedMarker(o *Object) func([]diff.Difference) {
	manager := m.Cluster.FieldManager(m.FieldManager)
	changed := sync.OnceValue(func() []diff.Difference {
		applied := m.Writer.LastApplied(o.Live)
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

// removed returns the fields that a write removes because the last client-side apply placed them and they are no longer placed. The partial comparison with the
// placed object does not contain them.
func (m *Member) removed(o *Object, action takeover.Action, partial []diff.Difference) []diff.Difference {
	if m.Writer.LastApplied(o.Live) == nil || m.WillBeOrphaned != nil && m.WillBeOrphaned(o.Live) {
		return nil // a server-side apply removes only values that others have not changed
	}
	return slices.DeleteFunc(slices.Clone(m.Writer.Changes(m.Schema, o, action, partial)), func(d diff.Difference) bool { return d.HasHub })
}

// markUpdate returns the mark of an update. It changes with the values of others that the update overwrites or removes, and with the content of a map or list that
// it removes as a whole. The differences of a Secret do not contain values: if the update removes such a field from it, the mark changes with each of its values.
func (m *Member) markUpdate(o *Object, partial []diff.Difference) string {
	manager, more := m.Cluster.FieldManager(m.FieldManager), secretHash(o.Desired)
	set := slices.Clone(partial)
	for _, d := range m.removed(o, takeover.ActionUpdate, partial) {
		switch {
		case d.Autoscaled() || !d.SetByOthers(manager) && !isContainer(d):
			continue
		case !d.SetByOthers(manager):
			more += manifest.Hash(map[string]any{d.Field: d.InMember})
		}
		set, more = append(set, d), more+secretHash(o.Live)
	}
	return engine.MarkFields(set, manager, more)
}

// isContainer reports whether the member's value is a map or a list. The value of a Secret's data is not known.
func isContainer(d diff.Difference) bool {
	switch d.InMember.(type) {
	case map[string]any, []any:
		return true
	default:
		return d.InMember == diff.Redacted && d.Field == "data"
	}
}
