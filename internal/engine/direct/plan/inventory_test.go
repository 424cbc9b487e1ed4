package plan

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestWriteOnlyValues checks that an object that has or may have values from write-only manifests is hidden in plans and recorded as such, in whichever record it
// is listed and wherever its manifest is now.
func TestWriteOnlyValues(t *testing.T) {
	t.Parallel()
	const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}, data: {password: planted}}"
	for name, c := range map[string]struct {
		isWriteOnly          bool
		own, given, replaced bool
		want                 bool
	}{
		"never write-only":               {},
		"write-only now":                 {isWriteOnly: true, want: true},
		"recorded":                       {own: true, want: true},
		"recorded by a giver":            {given: true, want: true},
		"recorded before a replacement":  {replaced: true, want: true},
		"write-only, recorded and given": {isWriteOnly: true, own: true, given: true, want: true},
	} {
		p := engine.Placement{Reference: engine.Reference{Name: "p"}, Manifests: map[string]string{"a": text}}
		if c.isWriteOnly {
			p.Manifests, p.WriteOnly = nil, p.Manifests
		}
		content, err := source.Resolve(t.Context(), clusterset.New(nil, nil, 0), p, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		listing := func(placementName string, isWriteOnly bool) *record.Inventory {
			entry := newEntry("ConfigMap", "", "b", "a")
			entry.UID, entry.Hash, entry.WriteOnly = "u", "h", isWriteOnly
			return roundTrip(t, record.Inventory{Head: record.Head{Name: placementName}, Objects: []record.Entry{entry}})
		}
		cluster := newTestCluster(t, &Item{}, placement.Spec{})
		cluster.plan.Content = content
		cluster.Inventory = listing("p", c.own)
		cluster.Givers = []GiverRecord{{Giver: engine.Giver{Name: "giver"}, Inventory: listing("giver", c.given)}}
		removal := &Plan{Clusters: []*Cluster{{MemberState: &MemberState{Name: cluster.Name, Inventory: listing("other", c.replaced)}}}}
		cluster.replace(removal)

		i := cluster.newItem(source.Localized{Object: content.Objects[0], From: -1})
		i.Live, i.Action = newLive("u", record.ApplySetID("p")), takeover.ActionUpdate
		if isHidden := i.Hidden.Text("planted") != "planted"; isHidden != c.want {
			t.Errorf("%s: hidden: %v", name, isHidden)
		}
		if entry := cluster.EntryAhead(i); entry == nil || entry.WriteOnly != c.want {
			t.Errorf("%s: the entry is %+v", name, entry)
		}
	}
}
