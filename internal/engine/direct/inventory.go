package direct

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

const (
	inventoryPrefix = "placement-"
	inventoryKey    = "placement.json"
	specKey         = "spec.json"
	objectsKey      = "objects.json"
	manifestsKey    = "manifests.json.gz"
)

// inventory is what is known on one member of one placement.
type inventory struct {
	head
	Spec    placement.Spec
	Objects []Entry

	// live is the ConfigMap as the server has it.
	live *unstructured.Unstructured
	// byKey finds objects; it is made when the first one is asked for, by the only goroutine that works on the cluster then.
	byKey map[manifest.Key]int
}

// head identifies a placement and how far it has come.
type head struct {
	Name       string `json:"name"`
	ClusterUID string `json:"clusterUID"`
	// HubUID is that of the hub the objects were selected on, if there is one.
	HubUID string `json:"hubUID,omitempty"`
	// Generation counts the specs, ResourceIndex the contents that were placed.
	Generation    int64  `json:"generation"`
	ResourceIndex int64  `json:"resourceIndex"`
	ContentHash   string `json:"contentHash"`
	// HasManifests tells that the placement's own manifests are kept in a Secret of the same name.
	HasManifests  bool   `json:"hasManifests,omitempty"`
	ManifestsHash string `json:"manifestsHash,omitempty"`
	// Applying is true from before the first object is written until after the last one is, on all clusters of the placement.
	Applying bool `json:"applying,omitempty"`
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
}

func inventoryName(placementName string) string { return inventoryPrefix + placementName }

// score returns the scores that the cluster was picked with, nil if it was not scored.
func (h head) score() *schedule.Score {
	if !h.Scored {
		return nil
	}
	return &schedule.Score{Affinity: h.AffinityScore, TopologySpread: h.TopologySpreadScore}
}

// entry returns what is known of an object.
func (i *inventory) entry(key manifest.Key) (Entry, bool) {
	if i == nil {
		return Entry{}, false
	}
	if i.byKey == nil {
		i.byKey = make(map[manifest.Key]int, len(i.Objects))
		for at, e := range slices.Backward(i.Objects) { // of two, which nobody writes, the first counts
			i.byKey[e.Key()] = at
		}
	}
	at, found := i.byKey[key]
	if !found {
		return Entry{}, false
	}
	return i.Objects[at], true
}

func (e *Engine) inventoryConfigMap(i *inventory) (*unstructured.Unstructured, error) {
	entries := slices.Clone(i.Objects)
	slices.SortFunc(entries, func(a, b Entry) int { return a.Key().Compare(b.Key()) })
	u, err := newConfigMap(inventoryName(i.Name), placementRecordKind, map[string]any{
		inventoryKey: i.head, specKey: i.Spec, objectsKey: entries,
	})
	if err != nil {
		return nil, err
	}
	setLabel(u, applySetIDLabel, applySetID(i.Name))
	u.SetAnnotations(e.applySetAnnotations(entries))
	return u, nil
}

func decodeInventory(u *unstructured.Unstructured) (*inventory, error) {
	out := &inventory{live: u}
	for key, into := range map[string]any{inventoryKey: &out.head, specKey: &out.Spec, objectsKey: &out.Objects} {
		if err := decodeKey(u, key, into); err != nil {
			return nil, err
		}
	}
	if !strings.HasPrefix(u.GetName(), inventoryPrefix) || u.GetName() != inventoryName(out.Name) {
		return nil, fmt.Errorf("the ConfigMap %s/%s is the record of the placement %q under another name", Namespace, u.GetName(), out.Name)
	}
	return out, nil
}

// manifestsSecret keeps the manifests of a placement on a member so that the placement can be imported. It is a Secret because the
// manifests may hold Secrets.
func manifestsSecret(placementName string, manifests map[string]string) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(manifests)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(text); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"type": "fleet.terraform.io/manifests",
		"data": map[string]any{manifestsKey: base64.StdEncoding.EncodeToString(packed.Bytes())},
	}}
	u.SetGroupVersionKind(secretKind)
	u.SetNamespace(Namespace)
	u.SetName(inventoryName(placementName))
	u.SetLabels(map[string]string{recordKindLabel: placementRecordKind})
	return u, nil
}

func decodeManifests(u *unstructured.Unstructured) (map[string]string, error) {
	text, _, _ := unstructured.NestedString(u.Object, "data", manifestsKey)
	unreadable := fmt.Errorf("the manifests in Secret %s/%s are not readable", u.GetNamespace(), u.GetName())
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, unreadable
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, unreadable
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		return nil, unreadable
	}
	var out map[string]string
	if json.Unmarshal(plain, &out) != nil {
		return nil, unreadable
	}
	return out, nil
}

// recordLimit is how much a ConfigMap or a Secret may hold.
const recordLimit = 1 << 20

// TooLargeError says that a placement has more than its records can hold.
type TooLargeError struct {
	Placement, Cluster string
	// What is the record; Size and Limit are in bytes, Objects is the number of the placement's objects.
	What        string
	Size, Limit int
	Objects     int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the placement %q is too large: %s on cluster %q would have %d bytes for %d objects, and Kubernetes stores %d at most. "+
		"Nothing was written. Spread the objects over several placements", e.Placement, e.What, e.Cluster, e.Size, e.Objects, e.Limit)
}

// fits checks before anything is written that the records of a placement can be written to the end: with what is not known yet, such as
// the UIDs of objects that are still to be created.
func (e *Engine) fits(p *plan) error {
	packed := 0
	if len(p.request.Manifests) > 0 {
		secret, err := manifestsSecret(p.request.Name, p.request.Manifests)
		if err != nil {
			return err
		}
		text, _, _ := unstructured.NestedString(secret.Object, "data", manifestsKey)
		packed = base64.StdEncoding.DecodedLen(len(text))
	}
	for _, c := range p.clusters {
		if c.err != nil || !c.decision.Selected && c.inventory == nil {
			continue
		}
		tooLarge := &TooLargeError{Placement: p.request.Name, Cluster: c.name, Limit: recordLimit, Objects: len(c.items)}
		if tooLarge.Size, tooLarge.What = packed, "the Secret that keeps its manifests"; tooLarge.Size > recordLimit {
			return tooLarge
		}
		next := c.announcement(p)
		if len(next.Objects)*longestEntry < recordLimit/2 {
			continue
		}
		for i := range next.Objects {
			next.Objects[i].UID, next.Objects[i].Hash, next.Objects[i].LiveHash = longestUID, longestHash, longestHash
			next.Objects[i].Adopted, next.Objects[i].ResourceVersion = true, longestVersion
		}
		u, err := e.inventoryConfigMap(next)
		if err != nil {
			return err
		}
		if tooLarge.Size, tooLarge.What = dataSize(u), "its inventory"; tooLarge.Size > recordLimit {
			return tooLarge
		}
	}
	return nil
}

// longestEntry is more than an object with names of the usual lengths takes in an inventory.
const longestEntry = 1200

var (
	longestUID  = strings.Repeat("0", 36)
	longestHash = strings.Repeat("0", 64)
	// longestVersion is the resourceVersion with the most digits: etcd counts in 64 bits.
	longestVersion = strings.Repeat("0", 19)
)

func dataSize(u *unstructured.Unstructured) int {
	size := 0
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	for key, value := range data {
		size += len(key) + len(value)
	}
	return size
}
