package predict

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// The plan warns if a run changes both an envelope and the apply strategy of the placement that selects it, because the members first apply the new content
// with the former strategy. A change of only one of them causes no warning.
func TestFormerStrategyDanger(t *testing.T) {
	t.Parallel()
	how := func(when placement.WhenToTakeOver) placement.Spec {
		return placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: when}}}
	}
	written := func(text string) *envelope.Spec {
		return &envelope.Spec{Namespace: "web", Name: "quota", Manifests: map[string]string{"quota.yaml": text}}
	}
	changed := engine.Planned[envelope.Spec]{Want: written("new"), Was: written("old")}
	for name, c := range map[string]struct {
		was, is  placement.WhenToTakeOver
		envelope engine.Planned[envelope.Spec]
		name     string
		reported bool
	}{
		"both":                  {placement.TakeOverAlways, placement.TakeOverNever, changed, "quota", true},
		"a new envelope":        {placement.TakeOverAlways, placement.TakeOverNever, engine.Planned[envelope.Spec]{Want: written("new")}, "quota", true},
		"the envelope alone":    {placement.TakeOverNever, placement.TakeOverNever, changed, "quota", false},
		"an equal envelope":     {placement.TakeOverAlways, placement.TakeOverNever, engine.Planned[envelope.Spec]{Want: written("old"), Was: written("old")}, "quota", false},
		"an envelope that goes": {placement.TakeOverAlways, placement.TakeOverNever, engine.Planned[envelope.Spec]{Was: written("old")}, "quota", false},
		"another's envelope":    {placement.TakeOverAlways, placement.TakeOverNever, changed, "limits", false},
	} {
		p := &Prediction{
			Spec:  how(c.is).Defaulted(),
			Fleet: &hub.Fleet{Placement: &wire.ClusterResourcePlacement{Spec: convert.FromPlacementSpec(how(c.was))}},
			Content: &source.Content{Selected: []manifest.Identifier{
				{Group: "placement.kubernetes-fleet.io", Version: "v1beta1", Kind: "ResourceEnvelope", Namespace: "web", Name: c.name},
			}},
			options: engine.PreviewOptions{World: engine.World{
				Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{{Namespace: "web", Name: "quota"}: c.envelope},
			}},
		}
		danger := p.formerStrategyDanger()
		if (danger != nil) != c.reported {
			t.Errorf("%s: %+v", name, danger)
		}
		if danger != nil && (danger.Path.String() != "strategy.apply_strategy" || !strings.Contains(danger.Message, `"Always"`)) {
			t.Errorf("%s: %+v", name, danger)
		}
	}
	if danger := (&Prediction{Fleet: &hub.Fleet{}}).formerStrategyDanger(); danger != nil {
		t.Errorf("a new placement: %+v", danger)
	}
}
