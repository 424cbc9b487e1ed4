package record

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

const (
	// InventoryPrefix begins the names of inventories.
	InventoryPrefix = "placement-"
	inventoryKey    = "placement.json"
	specKey         = "spec.json"
	objectsKey      = "objects.json"
)

// Inventory is what is known on one member of one placement.
type Inventory struct {
	Head
	Spec    placement.Spec
	Objects []Entry
	// UnderWay is there from before the first object is written until after the last one is, on all clusters of the placement.
	UnderWay *UnderWay

	// Live is the ConfigMap as the server has it.
	Live *unstructured.Unstructured
	// Signed reports that the ConfigMap verifies with the placement's key.
	Signed   bool
	unproven bool
	// byKey finds the objects of an inventory that was indexed.
	byKey map[manifest.Key]int
}

// Head identifies a placement and how far it has come.
type Head struct {
	Name string `json:"name"`
	// ID is the identity of the resource that manages the placement; empty in a record of before there were any.
	ID         string `json:"id,omitempty"`
	ClusterUID string `json:"clusterUID"`
	// HubUID is that of the hub the objects were selected on, if there is one.
	HubUID string `json:"hubUID,omitempty"`
	// Generation counts the specs, ResourceIndex the contents that were placed.
	Generation    int64  `json:"generation"`
	ResourceIndex int64  `json:"resourceIndex"`
	ContentHash   string `json:"contentHash"`
	// HasManifests tells that the placement's own manifests are kept in a Secret of the same name.
	HasManifests bool `json:"hasManifests,omitempty"`
	// ManifestsHash and WriteOnlyHash are salted: the manifests may hold Secrets. So is ContentHash.
	ManifestsHash string `json:"manifestsHash,omitempty"`
	WriteOnlyHash string `json:"writeOnlyHash,omitempty"`
	// Picked tells whether the placement is to be on the cluster, Reason why.
	Picked bool   `json:"picked,omitempty"`
	Reason string `json:"reason,omitempty"`
	// The scores that the cluster was picked with, if it was scored: they decide which cluster PickN gives up first.
	Scored              bool  `json:"scored,omitempty"`
	AffinityScore       int32 `json:"affinityScore,omitempty"`
	TopologySpreadScore int32 `json:"topologySpreadScore,omitempty"`
}

// Entry is one object of a placement on a member.
type Entry struct {
	manifest.Identifier
	// UID is empty until the object is known to exist.
	UID string `json:"uid,omitempty"`
	// Hash is that of the content that was applied last; empty until it was.
	Hash string `json:"hash,omitempty"`
	// LiveHash is that of the object as the API server stored it then. While both hashes hold there is nothing to do and nothing to ask.
	LiveHash string `json:"liveHash,omitempty"`
	// ResourceVersion is what it had then. While UID and ResourceVersion hold it need not be decoded.
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// Adopted objects were there before the placement; they stay when it goes.
	Adopted bool `json:"adopted,omitempty"`
	// Lost says of an adopted object that the record of who made it was lost.
	Lost bool `json:"lost,omitempty"`
	// Released objects are the placement's no more: it had made them, and has given them up where they are. Should it come back to the cluster,
	// they are its own again, unless somebody has taken them meanwhile.
	Released bool `json:"released,omitempty"`
	// HandedTo is the placement that a removal has left the object to. The record remains until that placement has taken the object over.
	HandedTo string `json:"handedTo,omitempty"`
}

// InventoryName is the name of the ConfigMap, and of the Secret with the manifests.
func InventoryName(placementName string) string { return InventoryPrefix + placementName }

// parent is the inventory as the parent of the placement's ApplySet.
func parent(placementName string) manifest.Key {
	return manifest.Key{Kind: "ConfigMap", Namespace: Namespace, Name: InventoryName(placementName)}
}

// ApplySetID is the identity of the set whose parent is the placement's inventory. It is the same on every member.
func ApplySetID(placementName string) string { return applyset.ID(parent(placementName)) }

// Score returns the scores that the cluster was picked with, nil if it was not scored.
func (h Head) Score() *schedule.Score {
	if !h.Scored {
		return nil
	}
	return &schedule.Score{Affinity: h.AffinityScore, TopologySpread: h.TopologySpreadScore}
}

// Entry returns what is known of an object.
func (i *Inventory) Entry(key manifest.Key) (Entry, bool) {
	if i == nil {
		return Entry{}, false
	}
	at, found := i.byKey[key]
	if !found {
		return Entry{}, false
	}
	return i.Objects[at], true
}

// Encode writes the inventory. version is that of the provider, recorded as the tool that wrote it.
func (i *Inventory) Encode(version string) (*unstructured.Unstructured, error) {
	entries := slices.Clone(i.Objects)
	slices.SortFunc(entries, func(a, b Entry) int { return a.Key().Compare(b.Key()) })
	values := map[string]any{inventoryKey: i.Head, specKey: i.Spec, objectsKey: entries}
	if i.UnderWay != nil {
		values[underWayKey] = i.UnderWay
	}
	u, err := newConfigMap(InventoryName(i.Name), PlacementKind, values)
	if err != nil {
		return nil, err
	}
	labels := u.GetLabels()
	labels[applyset.IDLabel] = ApplySetID(i.Name)
	u.SetLabels(labels)
	var members []manifest.Key
	for _, entry := range entries {
		if !entry.Released {
			members = append(members, entry.Key())
		}
	}
	u.SetAnnotations(applyset.Annotations(parent(i.Name), members, "terraform-provider-fleet/"+version))
	return u, nil
}

// DecodeInventory reads an inventory.
func DecodeInventory(u *unstructured.Unstructured) (*Inventory, error) {
	out := &Inventory{Live: u}
	for key, into := range map[string]any{inventoryKey: &out.Head, specKey: &out.Spec, objectsKey: &out.Objects} {
		if err := decodeKey(u, key, into); err != nil {
			return nil, err
		}
	}
	var legacy struct{ Applying bool }
	if err := decodeKey(u, inventoryKey, &legacy); err != nil {
		return nil, err
	}
	if out.UnderWay = UnderWayOf(u); out.UnderWay == nil && legacy.Applying {
		out.UnderWay = &UnderWay{Operation: engine.OperationApply} // nobody renews it
	}
	if !strings.HasPrefix(u.GetName(), InventoryPrefix) || u.GetName() != InventoryName(out.Name) {
		return nil, fmt.Errorf("the ConfigMap %s/%s is the record of the placement %q under another name", Namespace, u.GetName(), out.Name)
	}
	return out.Indexed(), nil
}

// DecodeHead reads whose inventory a ConfigMap is, without its objects.
func DecodeHead(u *unstructured.Unstructured) (Head, error) {
	var out Head
	err := decodeKey(u, inventoryKey, &out)
	return out, err
}

// Renamed returns the inventory under another name. It counts before the one that it is made from. The objects are to be read again, because their label
// changes.
func (i *Inventory) Renamed(name string) *Inventory {
	out := &Inventory{Head: i.Head, Spec: i.Spec, Objects: slices.Clone(i.Objects)}
	out.Name = name
	out.Generation++
	for at := range out.Objects {
		out.Objects[at].ResourceVersion = ""
	}
	return out.Indexed()
}

// Indexed lets the objects that the inventory has now be found by Entry.
func (i *Inventory) Indexed() *Inventory {
	i.byKey = make(map[manifest.Key]int, len(i.Objects))
	for at, e := range slices.Backward(i.Objects) { // of two, which nobody writes, the first counts
		i.byKey[e.Key()] = at
	}
	return i
}

// Former tells whether the placement is not on the cluster any more, and the inventory is there for what it has released alone.
func (i *Inventory) Former() bool {
	own := func(e Entry) bool { return !e.Released }
	return !i.Picked && i.UnderWay == nil && len(i.Objects) > 0 && !slices.ContainsFunc(i.Objects, own)
}

// AllAdopted is the inventory with every object taken for one that was there before the placement, so that none is deleted.
func (i *Inventory) AllAdopted() *Inventory {
	out := *i
	out.Objects = slices.Clone(i.Objects)
	for at := range out.Objects {
		out.Objects[at].Lost = out.Objects[at].Lost || !out.Objects[at].Adopted
		out.Objects[at].Adopted = true
	}
	return &out
}

// Says tells whether the inventory has the spec and the manifests of a digest.
func (i *Inventory) Says(d placement.Digest) bool {
	return manifest.SameHash(i.ManifestsHash, d.Manifests) && manifest.SameHash(i.WriteOnlyHash, d.WriteOnly) && i.Spec.Hash() == d.Spec
}
