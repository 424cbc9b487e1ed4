package record

import (
	"encoding/base64"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Limit is the maximum size of a ConfigMap or a Secret in bytes.
const Limit = 1 << 20

// TooLargeError is returned when a record of a placement would exceed Limit.
type TooLargeError struct {
	Placement, Cluster string
	// What names the record, Size is its size in bytes, and Objects is the number of the placement's objects.
	What    string
	Size    int
	Objects int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the placement %q is too large: %s on cluster %q would have %d bytes for %d objects, and Kubernetes stores %d at most. "+
		"Nothing was written. Spread the objects over several placements", e.Placement, e.What, e.Cluster, e.Size, e.Objects, Limit)
}

// ManifestsSize returns the size in bytes of the Secret with the manifests of a placement, or 0 if there are no manifests.
func ManifestsSize(placementName string, manifests Manifests) (int, error) {
	if manifests.isEmpty() {
		return 0, nil
	}
	secret, err := manifests.Encode(placementName)
	if err != nil {
		return 0, err
	}
	size := 0
	data, _, _ := unstructured.NestedStringMap(secret.Object, "data")
	for _, text := range data {
		size += base64.StdEncoding.DecodedLen(len(text))
	}
	return size, nil
}

// maxEntrySize is an upper bound in bytes for an entry with names of the usual length.
const maxEntrySize = 1200

var (
	longestUID  = strings.Repeat("0", 36)
	longestHash = strings.Repeat("0", 64)
	// longestSalted is a hash with its salt.
	longestSalted = strings.Repeat("0", manifest.SaltLength) + ":" + longestHash
	// longestVersion is a resourceVersion with the most digits: etcd has 64-bit revisions.
	longestVersion = strings.Repeat("0", 19)
)

// GrownSize returns the maximum size in bytes that the inventory can reach, including values that are not known yet, such as the UIDs of objects still to
// be created. It returns 0 if the inventory has too few objects to reach Limit.
func (i *Inventory) GrownSize(version string) (int, error) {
	if len(i.Objects)*maxEntrySize < Limit/2 {
		return 0, nil
	}
	grown := &Inventory{Head: i.Head, Spec: i.Spec, Lease: i.Lease, Objects: make([]Entry, len(i.Objects))}
	for at, entry := range i.Objects {
		entry.UID, entry.Hash, entry.LiveHash = longestUID, longestHash, longestHash
		if entry.IsSecret() {
			entry.Hash, entry.LiveHash = longestSalted, longestSalted
		}
		entry.Adopted, entry.Lost, entry.ResourceVersion = true, true, longestVersion
		grown.Objects[at] = entry
	}
	u, err := grown.Encode(version)
	if err != nil {
		return 0, err
	}
	size := len(signatureKey) + hashLength
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	for key, value := range data {
		size += len(key) + len(value)
	}
	return size, nil
}
