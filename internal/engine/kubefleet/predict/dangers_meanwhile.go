package predict

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
)

// appliesAsBefore: what an envelope brings reaches the members when the envelope is written, and the placement is written after it.
func (p *Prediction) appliesAsBefore() *engine.Danger {
	if p.Fleet.Placement == nil {
		return nil
	}
	was := convert.ToPlacementSpec(p.Fleet.Placement.Spec).Defaulted().Strategy.ApplyStrategy
	if reflect.DeepEqual(was, p.Spec.Strategy.ApplyStrategy) {
		return nil
	}
	changed := p.changedEnvelopes()
	if len(changed) == 0 {
		return nil
	}
	return &engine.Danger{Path: applyStrategy, Title: "new content is applied in the old way at first", Message: fmt.Sprintf(
		"The same run changes the envelope %q, whose new content the hub applies as soon as it is written: until the placement is changed after it, with "+
			"type = %q and when_to_take_over = %q, as it says now. This preview does not show what is taken over, overwritten or removed by then. Apply the "+
			"change of apply_strategy in a run of its own first.", changed[0], was.Type, was.WhenToTakeOver)}
}

// changedEnvelopes are the envelopes of the placement that the same run writes.
func (p *Prediction) changedEnvelopes() []string {
	var out []string
	for reference, planned := range p.options.World.Envelopes {
		if planned.Want == nil || planned.Was != nil && reflect.DeepEqual(*planned.Want, *planned.Was) {
			continue
		}
		for _, selected := range p.Content.Selected {
			kind := selected.GroupVersionKind().GroupKind()
			here := selected.Namespace == reference.Namespace || selected.Namespace == ""
			if envelope.Keeps(kind) && here && selected.Name == reference.Name {
				out = append(out, reference.String())
				break
			}
		}
	}
	slices.Sort(out)
	return out
}
