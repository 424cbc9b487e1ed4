package predict

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestDecide checks when a removal waits for another placement that has an object in a Namespace. If no plan shows the deletion of the Namespace, the
// Namespace is kept, because a removal that waits for a placement which the run keeps would never be complete.
func TestDecide(t *testing.T) {
	t.Parallel()
	namespace := manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "web"}
	other := engine.Reference{Name: "other"}
	contains := Held{Why: "its deletion would also delete ConfigMap web/theirs on the host"}
	for name, c := range map[string]struct {
		now, planned takeover.Action
		found        Held
		waits        bool
	}{
		"deleted as planned":          {now: takeover.ActionPrune, planned: takeover.ActionPrune, found: contains, waits: true},
		"deletion that is not shown":  {now: takeover.ActionPrune, planned: takeover.ActionOrphan, found: contains},
		"members that all keep it":    {now: takeover.ActionOrphan, planned: takeover.ActionOrphan, found: contains},
		"occupied as planned":         {now: takeover.ActionPrune, planned: takeover.ActionPrune, found: Held{Occupants: []string{"other"}}, waits: true},
		"occupied, members keep it":   {now: takeover.ActionOrphan, planned: takeover.ActionOrphan, found: Held{Occupants: []string{"other"}}, waits: true},
		"occupied and not shown":      {now: takeover.ActionPrune, planned: takeover.ActionOrphan, found: Held{Occupants: []string{"other"}}},
		"a member that is unchecked":  {now: takeover.ActionPrune, planned: takeover.ActionPrune, found: Held{Why: "member-2 could not be checked", Unchecked: true}},
		"members that have none left": {now: takeover.ActionNone, planned: takeover.ActionPrune, found: contains, waits: true},
	} {
		plan := &engine.Preview{Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{{Identifier: namespace, Action: c.planned}}}}}
		leftover := &memberpreview.Object{}
		leftover.Identifier, leftover.Action = namespace, c.now
		container := &Container{Identifier: namespace, is: source.Container{Namespace: "web"}}
		config := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: "theirs"}
		p := &Prediction{
			Removing: true, options: engine.PreviewOptions{Expected: engine.Expect(plan)}, Containers: []*Container{container},
			Clusters: []*Cluster{{Name: "member-1", Leftovers: []*memberpreview.Object{leftover}}},
			occupied: map[manifest.Key]host.Occupant{config.Key(): {Of: other}},
		}
		got := p.decide(container, c.found)
		if slices.Equal(got.Occupants, []string{"other"}) != c.waits || (got.Why == "") != c.waits {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
