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

	// live is the ConfigMap it was read from.
	live *unstructured.Unstructured
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
	// Adopted objects were there before the placement; they stay when it goes.
	Adopted bool `json:"adopted,omitempty"`
}

func inventoryName(placementName string) string { return inventoryPrefix + placementName }

// entry returns what is known of an object.
func (i *inventory) entry(key manifest.Key) (Entry, bool) {
	if i == nil {
		return Entry{}, false
	}
	for _, e := range i.Objects {
		if e.Key() == key {
			return e, true
		}
	}
	return Entry{}, false
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
