package memberpreview

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// placedMarker returns a function that sets [diff.Difference.Placed] in differences of an object. If another client sets a field before an apply places the
// same value, the apply does not write the field, and that client remains its manager. Placed is set only after a client-side apply, because a server-side
// apply does not record the values that it placed. It is never set for a Secret, whose record has only the keys.
func (m *Member) placedMarker(o *Object) func([]diff.Difference) {
	manager := m.Cluster.FieldManager(m.FieldManager)
	changed := sync.OnceValue(func() []diff.Difference {
		applied := m.Writer.LastApplied(o.Live)
		if applied == nil || o.IsSecret() {
			return nil
		}
		return diff.Partial(m.Schema, o.Desired, applied).All()
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

// removals returns [Writer.Removals] without the fields in partial, the partial comparison with the placed object. If the object will lose its last applied
// configuration before the write, the removals are those without it.
func (m *Member) removals(o *Object, action takeover.Action, partial []diff.Difference) (removals []diff.Difference, isWhole bool) {
	if m.WillBeOrphaned != nil && m.WillBeOrphaned(o.Live) {
		orphaned := *o
		orphaned.Live = o.Live.DeepCopy()
		unstructured.RemoveNestedField(orphaned.Live.Object, "metadata", "annotations", diff.LastAppliedAnnotation)
		o = &orphaned
	}
	removals, isWhole = m.Writer.Removals(m.Schema, o, action)
	return slices.DeleteFunc(slices.Clone(removals), func(d diff.Difference) bool { return hasDifference(partial, d) }), isWhole
}

// ReplacedContent returns a hash of the content that a replacement of an object can remove. The hash omits the number of replicas, which autoscalers change.
// It also omits the metadata, because a replacement retains labels and annotations.
func ReplacedContent(live *unstructured.Unstructured) string {
	content := diff.Strip(live)
	delete(content, "metadata")
	if spec, is := content["spec"].(map[string]any); is {
		spec = maps.Clone(spec)
		delete(spec, "replicas")
		content["spec"] = spec
	}
	return manifest.Hash(content)
}

// markUpdate returns the mark of an update; see [engine.MarkFields]. The mark changes with the values that other managers have set, and that the update
// overwrites or removes. It also changes with the content of a map or list that the update removes as a whole. The differences of a Secret do not contain
// values. If an update of a Secret overwrites or removes a value of another manager, or removes a map, the mark therefore changes with each value of the
// Secret.
func (m *Member) markUpdate(o *Object, partial []diff.Difference) string {
	manager, more := m.Cluster.FieldManager(m.FieldManager), secretHash(o.Desired)
	set := slices.Clone(partial)
	if slices.ContainsFunc(partial, func(d diff.Difference) bool { return d.SetByOthers(manager) }) {
		more += secretHash(o.Live)
	}
	removals, _ := m.removals(o, takeover.ActionUpdate, partial)
	for _, d := range removals {
		switch {
		case d.Autoscaled() || !d.SetByOthers(manager) && !isContainer(d):
			continue
		case !d.SetByOthers(manager):
			more += manifest.Hash(map[string]any{d.Field: d.InMember})
		}
		set, more = append(set, d), more+secretHash(o.Live)
	}
	return engine.MarkFields(o.Live.GetUID(), set, manager, more)
}

// isContainer reports whether the member's value is a map or a list. The data of a Secret counts as a map, although a difference has only the redacted value.
func isContainer(d diff.Difference) bool {
	switch d.InMember.(type) {
	case map[string]any, []any:
		return true
	default:
		return d.InMember == diff.Redacted && d.Field == "data"
	}
}
