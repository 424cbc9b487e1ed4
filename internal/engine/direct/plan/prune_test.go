package plan

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

func TestIsObject(t *testing.T) {
	for name, tt := range map[string]struct {
		id   manifest.Identifier
		want bool
	}{
		"a namespaced object": {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a", Name: "b"}, true},
		"one without":         {manifest.Identifier{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "system:a"}, true},
		"a path":              {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a", Name: "../b"}, false},
		"a parent":            {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "..", Name: "b"}, false},
		"an escape":           {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a", Name: "b%2fc"}, false},
		"no name":             {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a"}, false},
		"no kind":             {manifest.Identifier{Version: "v1", Namespace: "a", Name: "b"}, false},
		"no version":          {manifest.Identifier{Kind: "ConfigMap", Namespace: "a", Name: "b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsObject(tt.id); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// TestPruneAction checks that only an object that the placement created is deleted, and that all others remain.
func TestPruneAction(t *testing.T) {
	t.Parallel()
	id := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "settings"}
	const web = "web"
	for name, tt := range map[string]struct {
		entry            record.Entry
		unrecorded, gone bool
		unseen           error
		partOf           string
		owners           []metav1.OwnerReference
		lost, left       bool
		removing         bool
		propagation      placement.DeletePropagation
		action           takeover.Action
		obstacle         takeover.Obstacle
	}{
		"made by the placement":                    {entry: record.Entry{UID: "1", Hash: "h"}, partOf: web, action: takeover.ActionPrune},
		"gone":                                     {entry: record.Entry{UID: "1", Hash: "h"}, gone: true, action: takeover.ActionNone},
		"not readable":                             {entry: record.Entry{UID: "1", Hash: "h"}, unseen: errors.New("503"), action: takeover.ActionUnknown, obstacle: takeover.ObstacleNotReadable},
		"released":                                 {entry: record.Entry{UID: "1", Hash: "h", Released: true}, partOf: web, removing: true, action: takeover.ActionNone, obstacle: takeover.ObstacleLeft},
		"adopted":                                  {entry: record.Entry{UID: "1", Hash: "h", Adopted: true}, partOf: web, action: takeover.ActionOrphan, obstacle: takeover.ObstacleAdopted},
		"adopted after its record was lost":        {entry: record.Entry{UID: "1", Hash: "h", Adopted: true, Lost: true}, partOf: web, action: takeover.ActionOrphan, obstacle: takeover.ObstacleAdopted},
		"of another placement":                     {entry: record.Entry{UID: "1", Hash: "h"}, partOf: "other", action: takeover.ActionNone, obstacle: takeover.ObstacleForeignOwner},
		"created by another client":                {entry: record.Entry{UID: "2", Hash: "h"}, action: takeover.ActionNone, obstacle: takeover.ObstacleNotOwned},
		"recreated with the label, record lost":    {entry: record.Entry{UID: "2", Hash: "h"}, partOf: web, lost: true, action: takeover.ActionOrphan, obstacle: takeover.ObstacleReplaced},
		"without the label, record lost":           {entry: record.Entry{UID: "1", Hash: "h"}, lost: true, action: takeover.ActionOrphan, obstacle: takeover.ObstacleNotOwned},
		"with the label only":                      {unrecorded: true, partOf: web, lost: true, action: takeover.ActionNone, obstacle: takeover.ObstacleNotOwned},
		"owned by others, too":                     {entry: record.Entry{UID: "1", Hash: "h"}, partOf: web, owners: []metav1.OwnerReference{{Kind: "Shop", Name: "main"}}, action: takeover.ActionOrphan, obstacle: takeover.ObstacleOwnerReferences},
		"on a cluster that has left":               {entry: record.Entry{UID: "1", Hash: "h"}, partOf: web, left: true, action: takeover.ActionOrphan, obstacle: takeover.ObstacleLeft},
		"on a cluster that has left, in a removal": {entry: record.Entry{UID: "1", Hash: "h"}, partOf: web, left: true, removing: true, action: takeover.ActionPrune},
		"abandoned":                                {entry: record.Entry{UID: "1", Hash: "h"}, partOf: web, propagation: placement.AbandonObjects, action: takeover.ActionOrphan, obstacle: takeover.ObstacleAbandoned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := placement.Spec{Strategy: &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: tt.propagation}}}.Defaulted()
			tt.entry.Identifier = id
			inventory := (&record.Inventory{Objects: []record.Entry{tt.entry}}).Indexed()
			c := &Cluster{
				MemberState: &MemberState{Name: "member-1", UID: "c", Inventory: inventory, RecordLost: tt.lost},
				plan:        &Plan{Placement: engine.Placement{Reference: engine.Reference{Name: web}}, Spec: spec, Removing: tt.removing},
			}
			if !tt.left {
				c.Record = &record.Member{Spec: registration("member-1", "x"), ClusterUID: "c"}
			}
			c.ownership = &ownership{setID: record.ApplySetID(web), inventory: inventory, lost: tt.lost, others: &OtherPlacements{}}
			c.Member = &memberpreview.Member{Ownership: c.ownership}
			item := &Item{Entry: tt.entry, Known: !tt.unrecorded, Unrecorded: tt.unrecorded}
			item.Identifier, item.Unseen = id, tt.unseen
			if !tt.gone {
				item.Live = &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
				item.Live.SetNamespace(id.Namespace)
				item.Live.SetName(id.Name)
				item.Live.SetUID("1")
				item.Live.SetOwnerReferences(tt.owners)
				if tt.partOf != "" {
					item.Live.SetLabels(map[string]string{applyset.PartOfLabel: record.ApplySetID(tt.partOf)})
				}
			}
			c.decidePrune(item)
			if item.Action != tt.action || item.Obstacle != tt.obstacle {
				t.Errorf("got %s, %s: %s", item.Action, item.Obstacle, item.Problem)
			}
		})
	}
}
