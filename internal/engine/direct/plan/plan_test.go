package plan

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// newLive returns an object with a UID and, unless set is empty, the label of the ApplySet.
func newLive(uid, set string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	u.SetUID(types.UID(uid))
	if set != "" {
		applyset.Mark(u, set)
	}
	return u
}

func newEntry(kind, group, namespace, name string) record.Entry {
	return record.Entry{Identifier: manifest.Identifier{Group: group, Version: "v1", Kind: kind, Namespace: namespace, Name: name}}
}

// roundTrip returns the inventory encoded and decoded again.
func roundTrip(t *testing.T, in record.Inventory) *record.Inventory {
	t.Helper()
	u, err := in.Encode("")
	if err != nil {
		t.Fatal(err)
	}
	out, err := record.DecodeInventory(u)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newTestCluster returns a cluster of the placement "p" with an inventory that has the item's entry.
func newTestCluster(t *testing.T, i *Item, spec placement.Spec) *Cluster {
	t.Helper()
	inventory := record.Inventory{Head: record.Head{Name: "p"}}
	if i.Known {
		i.Entry.Identifier = i.Identifier
		inventory.Objects = []record.Entry{i.Entry}
	}
	p := &Plan{Placement: engine.Placement{Reference: engine.Reference{Name: "p"}}, Spec: spec.Defaulted(), Content: &source.Content{}}
	v := &MemberState{Name: "a", UID: "u", Client: &kube.Cluster{}, Inventory: roundTrip(t, inventory), OtherPlacements: &OtherPlacements{}}
	v.Record = &record.Member{Spec: member.Spec{Name: "a"}, ClusterUID: "u"}
	return p.newCluster(v)
}

// TestEntryAhead checks the entries written before the objects. They decide later whether an object is deleted.
func TestEntryAhead(t *testing.T) {
	t.Parallel()
	ours := record.ApplySetID("p")
	desired := newLive("", ours)
	for name, test := range map[string]struct {
		item Item
		want *record.Entry
	}{
		"created":              {Item{}, &record.Entry{}},
		"created again":        {Item{Entry: record.Entry{UID: "old", Hash: "h", Adopted: true}, Known: true}, &record.Entry{}},
		"taken over":           {Item{Object: memberpreview.Object{Live: newLive("u", "")}}, &record.Entry{UID: "u", Adopted: true}},
		"created, not known":   {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Known: true}, &record.Entry{UID: "u"}},
		"created, known":       {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Known: true, Entry: record.Entry{UID: "u", Hash: "h"}}, &record.Entry{UID: "u", Hash: "h"}},
		"adopted stays so":     {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Known: true, Entry: record.Entry{UID: "u", Adopted: true}}, &record.Entry{UID: "u", Adopted: true}},
		"recreated by others":  {Item{Object: memberpreview.Object{Live: newLive("v", ours)}, Known: true, Entry: record.Entry{UID: "u", Hash: "h"}}, &record.Entry{UID: "v", Hash: "h", Adopted: true}},
		"ours, no record":      {Item{Object: memberpreview.Object{Live: newLive("u", ours)}}, &record.Entry{UID: "u", Adopted: true, Lost: true}},
		"refused, not ours":    {Item{Object: memberpreview.Object{Live: newLive("v", "")}, Known: true, Entry: record.Entry{UID: "u", Hash: "h"}}, nil},
		"refused, ours":        {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Known: true, Entry: record.Entry{UID: "u", Hash: "h"}}, &record.Entry{UID: "u", Hash: "h"}},
		"refused, not seen":    {Item{Object: memberpreview.Object{Unseen: errors.New("x")}, Known: true, Entry: record.Entry{UID: "u", Hash: "h"}}, &record.Entry{UID: "u", Hash: "h"}},
		"refused, never known": {Item{Object: memberpreview.Object{Unseen: errors.New("x")}}, nil},
	} {
		i := test.item
		i.Desired = desired
		switch {
		case strings.HasPrefix(name, "refused"):
			i.Action = takeover.ActionLeaveAlone
		case i.Live == nil:
			i.Action = takeover.ActionCreate
		case name == "taken over":
			i.Action = takeover.ActionTakeOver
		default:
			i.Action = takeover.ActionUpdate
		}
		c := newTestCluster(t, &i, placement.Spec{})
		if got := c.EntryAhead(&i); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestObstaclesOfPruneAction(t *testing.T) {
	t.Parallel()
	ours := record.ApplySetID("p")
	abandon := placement.Spec{Strategy: &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}}}
	for name, test := range map[string]struct {
		item Item
		spec placement.Spec
		want takeover.Action
		why  takeover.Obstacle
	}{
		"gone":                   {Item{}, placement.Spec{}, takeover.ActionNone, takeover.ObstacleNone},
		"not seen":               {Item{Object: memberpreview.Object{Unseen: errors.New("x")}}, placement.Spec{}, takeover.ActionUnknown, takeover.ObstacleNotReadable},
		"created":                {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Entry: record.Entry{UID: "u", Hash: "h"}}, placement.Spec{}, takeover.ActionPrune, takeover.ObstacleNone},
		"created, not confirmed": {Item{Object: memberpreview.Object{Live: newLive("u", ours)}}, placement.Spec{}, takeover.ActionPrune, takeover.ObstacleNone},
		"created, mark removed":  {Item{Object: memberpreview.Object{Live: newLive("u", "")}, Entry: record.Entry{UID: "u", Hash: "h"}}, placement.Spec{}, takeover.ActionPrune, takeover.ObstacleNone},
		"adopted":                {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Entry: record.Entry{UID: "u", Hash: "h", Adopted: true}}, placement.Spec{}, takeover.ActionOrphan, takeover.ObstacleAdopted},
		"announced, not adopted": {Item{Object: memberpreview.Object{Live: newLive("u", "")}, Entry: record.Entry{UID: "u", Adopted: true}}, placement.Spec{}, takeover.ActionNone, takeover.ObstacleNotOwned},
		"recreated with mark":    {Item{Object: memberpreview.Object{Live: newLive("v", ours)}, Entry: record.Entry{UID: "u", Hash: "h"}}, placement.Spec{}, takeover.ActionNone, takeover.ObstacleNotOwned},
		"recreated without mark": {Item{Object: memberpreview.Object{Live: newLive("v", "")}, Entry: record.Entry{UID: "u", Hash: "h"}}, placement.Spec{}, takeover.ActionNone, takeover.ObstacleNotOwned},
		"another set's by now":   {Item{Object: memberpreview.Object{Live: newLive("u", "other")}, Entry: record.Entry{UID: "u", Hash: "h"}}, placement.Spec{}, takeover.ActionNone, takeover.ObstacleForeignOwner},
		"record lost before":     {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Entry: record.Entry{UID: "u", Hash: "h", Adopted: true, Lost: true}}, placement.Spec{}, takeover.ActionOrphan, takeover.ObstacleAdopted},
		"unrecorded":             {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Unrecorded: true}, placement.Spec{}, takeover.ActionNone, takeover.ObstacleNotOwned},
		"released":               {Item{Object: memberpreview.Object{Live: newLive("u", "")}, Entry: record.Entry{UID: "u", Hash: "h", Released: true}}, placement.Spec{}, takeover.ActionNone, takeover.ObstacleLeft},
		"left the fleet":         {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Entry: record.Entry{UID: "u", Hash: "h"}}, placement.Spec{}, takeover.ActionOrphan, takeover.ObstacleLeft},
		"abandoned":              {Item{Object: memberpreview.Object{Live: newLive("u", ours)}, Entry: record.Entry{UID: "u", Hash: "h"}}, abandon, takeover.ActionOrphan, takeover.ObstacleAbandoned},
	} {
		i := test.item
		i.Known = true
		c := newTestCluster(t, &i, test.spec)
		if name == "left the fleet" {
			c.Record = nil
		}
		got, why, problem := c.pruneAction(&i)
		if got != test.want || why != test.why {
			t.Errorf("%s: %s for %q, want %s for %q", name, got, why, test.want, test.why)
		}
		if (problem != "") != (why != takeover.ObstacleNone) {
			t.Errorf("%s: obstacle %q with problem %q", name, why, problem)
		}
	}
}

func TestNextHead(t *testing.T) {
	t.Parallel()
	spec := placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickAll}}
	known := &record.Inventory{Head: record.Head{Generation: 4, ResourceIndex: 7, ContentHash: "same"}, Spec: spec}
	prior := func(generation, index int64) *placement.Status {
		return &placement.Status{ObservedResourceIndex: fmt.Sprint(index), Conditions: []placement.Condition{{ObservedGeneration: generation}}}
	}
	digest := placement.NewDigest(spec, nil, nil)
	for name, test := range map[string]struct {
		placement         engine.Placement
		hash              string
		known             *record.Inventory
		generation, index int64
	}{
		"new":                    {engine.Placement{Spec: spec}, "same", nil, 1, 0},
		"nothing changed":        {engine.Placement{Spec: spec}, "same", known, 4, 7},
		"content changed":        {engine.Placement{Spec: spec}, "other", known, 4, 8},
		"spec changed":           {engine.Placement{}, "same", known, 5, 7},
		"newest does not answer": {engine.Placement{Spec: spec, Prior: prior(6, 9)}, "same", known, 6, 9},
		"older status":           {engine.Placement{Spec: spec, Prior: prior(3, 2)}, "same", known, 4, 7},
	} {
		said := placement.NewDigest(test.placement.Spec, test.placement.Manifests, nil)
		got := nextHead(test.placement, &source.Content{Hash: test.hash}, test.known, said)
		if got.Generation != test.generation || got.ResourceIndex != test.index {
			t.Errorf("%s: generation %d, index %d", name, got.Generation, got.ResourceIndex)
		}
	}
	older := &MemberState{Name: "a", Inventory: &record.Inventory{Head: record.Head{Generation: 3}, Spec: spec}}
	same := &MemberState{Name: "b", Inventory: known}
	other := &MemberState{Name: "a", Inventory: &record.Inventory{Head: record.Head{Generation: 4, ResourceIndex: 7}}}
	for _, views := range [][]*MemberState{{older, same}, {other, same}, {same, other}} {
		if _, from := (&Survey{Members: views}).Newest(digest); from != same {
			t.Errorf("newest record is on %+v", from)
		}
	}
}

// TestResume checks that a change of the decision's reason alone, which depends on the cluster's current state, causes no write.
func TestResume(t *testing.T) {
	t.Parallel()
	p := &Plan{
		Placement: engine.Placement{Reference: engine.Reference{Name: "p"}, Prior: &placement.Status{}}, Head: record.Head{Name: "p", Generation: 1},
	}
	base := func() *Cluster {
		c := &Cluster{MemberState: &MemberState{Name: "a", UID: "u"}, Decision: schedule.Decision{Selected: true, Reason: "score 1"}, plan: p}
		c.Inventory = &record.Inventory{Head: c.Head()}
		return c
	}
	for name, test := range map[string]struct {
		change func(*Cluster)
		want   bool
	}{
		"done":            {func(*Cluster) {}, false},
		"other words":     {func(c *Cluster) { c.Decision.Reason = "score 2" }, false},
		"interrupted":     {func(c *Cluster) { c.Inventory.Lease = &record.Lease{} }, true},
		"no longer here":  {func(c *Cluster) { c.Decision.Selected = false }, true},
		"never begun":     {func(c *Cluster) { c.Inventory = nil }, true},
		"older":           {func(c *Cluster) { c.Inventory.Generation = 0 }, true},
		"other cluster":   {func(c *Cluster) { c.UID = "v" }, true},
		"nothing and not": {func(c *Cluster) { c.Inventory, c.Decision.Selected = nil, false }, false},
	} {
		c := base()
		test.change(c)
		if c.resumes() != test.want {
			t.Errorf("%s: got %v", name, !test.want)
		}
	}
}

func TestBlockingDependent(t *testing.T) {
	t.Parallel()
	container := source.Container{Namespace: "web"}
	inside := &Item{Object: memberpreview.Object{Live: newLive("u", "")}}
	inside.Identifier = newEntry("ConfigMap", "", "web", "x").Identifier
	empty := func() *Cluster {
		return &Cluster{MemberState: &MemberState{OtherPlacements: &OtherPlacements{}}, plan: &Plan{}}
	}

	wanted, unseen, pruned, shared := empty(), empty(), empty(), empty()
	wanted.Items = []*Item{inside}
	keep, drop := *inside, *inside
	keep.Action, drop.Action = takeover.ActionUnknown, takeover.ActionPrune
	keep.Unseen = errors.New("secrets is forbidden")
	unseen.Prunable, pruned.Prunable = []*Item{&keep}, []*Item{&drop}
	other := record.Inventory{Head: record.Head{Name: "other"}, Objects: []record.Entry{newEntry("ConfigMap", "", "web", "y")}}
	u, err := other.Encode("")
	if err != nil {
		t.Fatal(err)
	}
	shared.OtherPlacements.replace([]*unstructured.Unstructured{u}, "p")
	for name, test := range map[string]struct {
		cluster *Cluster
		stays   bool
	}{"empty": {empty(), false}, "wanted": {wanted, true}, "unseen": {unseen, true}, "pruned": {pruned, false}, "shared": {shared, true}} {
		if got := test.cluster.blockingDependent(container, test.cluster.occupantsOf(container)); (got != "") != test.stays {
			t.Errorf("%s: %q", name, got)
		}
	}
	if shared.OtherPlacements.owner(record.ApplySetID("other")) != "other" || shared.OtherPlacements.owner("x") != "" {
		t.Error("owner does not find the other placement by its set")
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	p := &Plan{Placement: engine.Placement{Reference: engine.Reference{Name: "p"}}, Content: &source.Content{}}
	c := &Cluster{MemberState: &MemberState{Name: "a", UID: "u", OtherPlacements: &OtherPlacements{}}, Decision: schedule.Decision{Selected: true}, plan: p}
	p.Clusters = []*Cluster{c}
	for n := range 5000 {
		i := &Item{Object: memberpreview.Object{Desired: newLive("", "x")}}
		i.Identifier, i.Action = newEntry("ConfigMap", "", "default", fmt.Sprint("object-", n)).Identifier, takeover.ActionCreate
		c.Items = append(c.Items, i)
	}
	var tooLarge *record.TooLargeError
	if err := p.Fits(); !errors.As(err, &tooLarge) || tooLarge.Cluster != "a" || tooLarge.Objects != 5000 {
		t.Errorf("%v", err)
	}
	c.Items = c.Items[:1000]
	if err := p.Fits(); err != nil {
		t.Error(err)
	}
}
