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
	// InventoryPrefix is the prefix of the names of inventories.
	InventoryPrefix = "placement-"
	inventoryKey    = "placement.json"
	specKey         = "spec.json"
	objectsKey      = "objects.json"
)

// Inventory is the record of one placement on one member.
type Inventory struct {
	Head
	Spec    placement.Spec
	Objects []Entry
	// Lease marks an operation in progress. The operation sets the lease before it writes the first object on the member, and removes the lease at the end.
	// Lease is nil if no operation is in progress.
	Lease *Lease

	// Live is the ConfigMap as read from the API server.
	Live *unstructured.Unstructured
	// Signed reports that the ConfigMap verifies with the placement's key.
	Signed     bool
	isUnproven bool
	// byKey has the position of each object in Objects. Indexed sets it.
	byKey map[manifest.Key]int
}

// Head identifies a placement and the versions of its spec and content.
type Head struct {
	Name string `json:"name"`
	// ID is the identity of the resource that manages the placement. Records of early versions have none.
	ID         string `json:"id,omitempty"`
	ClusterUID string `json:"clusterUID"`
	// HubUID is the UID of the provider's hub, or "" without a hub.
	HubUID string `json:"hubUID,omitempty"`
	// Generation increases with each new spec, with new manifests and with a rename. ResourceIndex increases with each new content.
	Generation    int64  `json:"generation"`
	ResourceIndex int64  `json:"resourceIndex"`
	ContentHash   string `json:"contentHash"`
	// HasManifests reports that a Secret with the name of the ConfigMap stores the placement's manifests.
	HasManifests bool `json:"hasManifests,omitempty"`
	// ManifestsHash, WriteOnlyHash and ContentHash are salted, because the manifests may contain Secrets.
	ManifestsHash string `json:"manifestsHash,omitempty"`
	WriteOnlyHash string `json:"writeOnlyHash,omitempty"`
	// Picked reports whether the scheduler picked the cluster, and Reason is its reason.
	Picked bool   `json:"picked,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Scored reports whether the cluster was scored when it was picked. The scores decide which cluster PickN drops first.
	Scored              bool  `json:"scored,omitempty"`
	AffinityScore       int32 `json:"affinityScore,omitempty"`
	TopologySpreadScore int32 `json:"topologySpreadScore,omitempty"`
}

// Entry is one object of a placement on a member.
type Entry struct {
	manifest.Identifier
	// UID is empty until the object is known to exist.
	UID string `json:"uid,omitempty"`
	// Hash is the hash of the content applied last, or empty if none was applied.
	Hash string `json:"hash,omitempty"`
	// LiveHash is the hash of the object as the API server stored it in the last apply. While both hashes are unchanged, no write and no dry run is necessary.
	LiveHash string `json:"liveHash,omitempty"`
	// ResourceVersion is the object's version after the last apply, or "" if plans must always decode the object. If the UID and the version of an object and
	// the hash of the content to place are those of the entry, a preview does not decode the object. A refresh does not decode the object either, unless the
	// availability of the object depends on its content.
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// Adopted reports that the object existed before the placement, or that its creator is unknown. The placement never deletes the object.
	Adopted bool `json:"adopted,omitempty"`
	// Lost reports that an object counts as adopted because the record of who created it was lost.
	Lost bool `json:"lost,omitempty"`
	// Released reports that the placement created the object, and that the object remained on the cluster when the placement left the cluster. If the placement
	// returns to the cluster, it owns the object again, unless another owner has taken the object over.
	Released bool `json:"released,omitempty"`
	// HandedTo is the placement for which a removal kept the object. The entry remains until that placement has taken the object over.
	HandedTo string `json:"handedTo,omitempty"`
	// WriteOnly reports that the live object has, or may have, values from write-only manifests. Plans do not show the values of the object, even if the object
	// comes from other manifests now.
	WriteOnly bool `json:"writeOnly,omitempty"`
}

// InventoryName returns the name of a placement's inventory, which is also the name of the Secret with its manifests.
func InventoryName(placementName string) string { return InventoryPrefix + placementName }

func applySetParent(placementName string) manifest.Key {
	return manifest.Key{Kind: "ConfigMap", Namespace: Namespace, Name: InventoryName(placementName)}
}

// ApplySetID returns the ID of the placement's ApplySet. It is the same on every member.
func ApplySetID(placementName string) string { return applyset.ID(applySetParent(placementName)) }

// Score returns the scores with which the cluster was picked, or nil if it was not scored.
func (h Head) Score() *schedule.Score {
	if !h.Scored {
		return nil
	}
	return &schedule.Score{Affinity: h.AffinityScore, TopologySpread: h.TopologySpreadScore}
}

// Entry returns the entry of an object, and reports whether the inventory has one. A nil inventory has no entries.
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

// Encode returns the ConfigMap of the inventory. version is the provider's version, for the tooling annotation of the ApplySet.
func (i *Inventory) Encode(version string) (*unstructured.Unstructured, error) {
	entries := slices.Clone(i.Objects)
	slices.SortFunc(entries, func(a, b Entry) int { return a.Key().Compare(b.Key()) })
	values := map[string]any{inventoryKey: i.Head, specKey: i.Spec, objectsKey: entries}
	if i.Lease != nil {
		values[underWayKey] = i.Lease
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
	u.SetAnnotations(applyset.Annotations(applySetParent(i.Name), members, "terraform-provider-fleet/"+version))
	return u, nil
}

// DecodeInventory decodes the ConfigMap of an inventory. It returns an error if the ConfigMap does not have the name of the placement's inventory.
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
	if out.Lease = LeaseOf(u); out.Lease == nil && legacy.Applying {
		out.Lease = &Lease{Operation: engine.OperationApply} // written by an early version of the provider, which does not renew leases
	}
	if !strings.HasPrefix(u.GetName(), InventoryPrefix) || u.GetName() != InventoryName(out.Name) {
		return nil, fmt.Errorf("the ConfigMap %s/%s is the record of the placement %q under another name", Namespace, u.GetName(), out.Name)
	}
	return out.Indexed(), nil
}

// DecodeHead decodes the head of an inventory, without its objects.
func DecodeHead(u *unstructured.Unstructured) (Head, error) {
	var out Head
	err := decodeKey(u, inventoryKey, &out)
	return out, err
}

// Renamed returns a copy of the inventory under another name. The generation of the copy is higher, so that the copy takes precedence over the original. The
// entries have no resource versions, because a rename changes the label of the objects. The copy has no lease.
func (i *Inventory) Renamed(name string) *Inventory {
	out := &Inventory{Head: i.Head, Spec: i.Spec, Objects: slices.Clone(i.Objects)}
	out.Name = name
	out.Generation++
	for at := range out.Objects {
		out.Objects[at].ResourceVersion = ""
	}
	return out.Indexed()
}

// Indexed rebuilds the index that Entry uses, and returns i.
func (i *Inventory) Indexed() *Inventory {
	i.byKey = make(map[manifest.Key]int, len(i.Objects))
	for at, e := range slices.Backward(i.Objects) { // the first of two duplicates wins; the provider writes no duplicates
		i.byKey[e.Key()] = at
	}
	return i
}

// Former reports whether the placement has left the cluster, no operation is in progress, and the inventory has released objects only.
func (i *Inventory) Former() bool {
	isOwn := func(e Entry) bool { return !e.Released }
	return !i.Picked && i.Lease == nil && len(i.Objects) > 0 && !slices.ContainsFunc(i.Objects, isOwn)
}

// AllAdopted returns a copy of the inventory with all objects marked as adopted, so that none is deleted.
func (i *Inventory) AllAdopted() *Inventory {
	out := *i
	out.Objects = slices.Clone(i.Objects)
	for at := range out.Objects {
		out.Objects[at].Lost = out.Objects[at].Lost || !out.Objects[at].Adopted
		out.Objects[at].Adopted = true
	}
	return &out
}

// Matches reports whether the inventory has the spec and the manifests of a digest.
func (i *Inventory) Matches(d placement.Digest) bool {
	return manifest.SameHash(i.ManifestsHash, d.Manifests) && manifest.SameHash(i.WriteOnlyHash, d.WriteOnly) && i.Spec.Hash() == d.Spec
}
