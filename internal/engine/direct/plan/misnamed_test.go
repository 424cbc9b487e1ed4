package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestChooseRecord checks which record on a member is current, and which are renamed.
func TestChooseRecord(t *testing.T) {
	t.Parallel()
	key, former := engine.Key("key"), func(e record.Entry) record.Entry { e.Released = true; return e }
	of := func(name, id string, generation int64) record.Inventory {
		return record.Inventory{
			Head:    record.Head{Name: name, ID: id, ClusterUID: "c", Generation: generation, Picked: true},
			Objects: []record.Entry{newEntry("ConfigMap", "", "a", "b")},
		}
	}
	left := of("web", "ours", 2)
	left.Picked, left.Objects = false, []record.Entry{former(newEntry("ConfigMap", "", "a", "b"))}
	elsewhere := of("web", "ours", 3)
	elsewhere.ClusterUID = "another"
	for name, c := range map[string]struct {
		records []record.Inventory
		// unsigned: no record verifies. trusting: unsigned records are used.
		unsigned, trusting      bool
		counts                  string
		moved                   []string
		former, taken, unproven bool
	}{
		"none":                       {},
		"the placement's own name":   {records: []record.Inventory{of("shop", "ours", 2)}, counts: "shop"},
		"another name":               {records: []record.Inventory{of("web", "ours", 2)}, counts: "web", moved: []string{"web"}},
		"interrupted":                {records: []record.Inventory{of("web", "ours", 2), of("shop", "ours", 3)}, counts: "shop", moved: []string{"web"}},
		"interrupted the other way":  {records: []record.Inventory{of("web", "ours", 3), of("shop", "ours", 2)}, counts: "web", moved: []string{"web"}},
		"interrupted twice":          {records: []record.Inventory{of("b", "ours", 3), of("a", "ours", 4)}, counts: "a", moved: []string{"a", "b"}},
		"left":                       {records: []record.Inventory{left}, counts: "web", moved: []string{"web"}, former: true},
		"another placement":          {records: []record.Inventory{of("web", "theirs", 2)}},
		"beside another placement":   {records: []record.Inventory{of("web", "theirs", 2), of("shop", "ours", 3)}, counts: "shop"},
		"the name is taken":          {records: []record.Inventory{of("web", "ours", 9), of("shop", "theirs", 2)}, counts: "shop", moved: []string{"web"}, taken: true},
		"another cluster's":          {records: []record.Inventory{elsewhere}},
		"not verified":               {records: []record.Inventory{of("web", "ours", 2)}, unsigned: true},
		"not verified, but trusted":  {records: []record.Inventory{of("web", "ours", 2)}, unsigned: true, trusting: true, counts: "web", moved: []string{"web"}},
		"neither of two is verified": {records: []record.Inventory{of("web", "ours", 3), of("shop", "ours", 2)}, unsigned: true, counts: "shop", unproven: true},
	} {
		p := engine.Placement{Reference: engine.Reference{Name: "shop"}, ID: "ours", Key: key, KeyIsNew: c.trusting}
		m := &MemberState{Name: "member-1", UID: "c", OtherPlacements: &OtherPlacements{}}
		for _, one := range c.records {
			u, err := one.Encode("")
			if err != nil {
				t.Fatal(err)
			}
			if !c.unsigned {
				record.Sign(u, key, one.ClusterUID)
			}
			if err := m.add(t.Context(), u, p); err != nil {
				t.Fatal(err)
			}
		}
		m.chooseRecord(p)
		got := ""
		if known := m.currentRecord(); known != nil {
			got = known.Name
		}
		if got != c.counts || !slices.Equal(m.FormerNames(), c.moved) {
			t.Errorf("%s: current record %q, renamed records %v", name, got, m.FormerNames())
		}
		if (m.Former != nil) != c.former || m.nameTaken != c.taken || m.Inventory.IsUnproven() != c.unproven {
			t.Errorf("%s: former %v, taken %v, unproven %v", name, m.Former != nil, m.nameTaken, m.Inventory.IsUnproven())
		}
	}
}

// TestFormerMark checks that the label of a former name counts as the placement's own.
func TestFormerMark(t *testing.T) {
	t.Parallel()
	known := roundTrip(t, record.Inventory{Head: record.Head{Name: "web", ID: "ours"}})
	w := &ownership{
		setID: record.ApplySetID("shop"), others: &OtherPlacements{}, former: (&MemberState{MisnamedRecords: []*record.Inventory{known}}).formerSets(),
	}
	for name, want := range map[string]takeover.OwnerKind{"web": takeover.OwnerNone, "shop": takeover.OwnerUnrecorded, "other": takeover.OwnerApplySet} {
		u := newLive("u", record.ApplySetID(name))
		if own := w.isOwn(applyset.PartOf(u)); own != (name != "other") || w.Owner(u).Kind != want {
			t.Errorf("%s: own is %v, owner %q", name, own, w.Owner(u))
		}
		if applyset.PartOf(u) == "" {
			t.Errorf("%s: Owner removed the mark from the object", name)
		}
	}
}

// TestOverrideDangers checks that a rename warns of the overrides that still have the former name, each once.
func TestOverrideDangers(t *testing.T) {
	t.Parallel()
	naming := func(name string) override.Overrides {
		return override.Overrides{Cluster: []override.ClusterResourceOverride{
			{Name: "of-" + name, Spec: override.ClusterSpec{Placement: &override.PlacementReference{Name: name}}}, {Name: "of-all"},
		}}
	}
	p := &Plan{Placement: engine.Placement{Reference: engine.Reference{Name: "shop"}, FormerName: "web"}}
	for _, of := range []string{"web", "web", "shop"} {
		p.Clusters = append(p.Clusters, &Cluster{MemberState: &MemberState{Overrides: naming(of)}})
	}
	found := p.overrideDangers()
	if len(found) != 1 || !strings.Contains(found[0].Title, "ClusterResourceOverride of-web") || !strings.Contains(found[0].Message, `"web"`) {
		t.Errorf("%+v", found)
	}
	if p.Placement.FormerName = ""; len(p.overrideDangers()) > 0 {
		t.Error("got a warning without a rename")
	}
}
