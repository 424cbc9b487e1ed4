package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

const (
	// signatureKey is the key of the signature in the ConfigMap.
	signatureKey = "signature"
	// signatureDomain prevents the use of a signature for other data or another format.
	signatureDomain = "fleet.terraform.io/inventory/v1"
	hashLength      = 2 * sha256.Size
)

// signedKeys are the keys of the ConfigMap that a signature covers. The lease of an operation in progress is not covered: it proves no ownership, and operations
// without the placement's key renew it.
var signedKeys = []string{inventoryKey, specKey, objectsKey}

// Sign signs the ConfigMap of an inventory for the cluster with the UID. Without a key it removes the signature.
func Sign(u *unstructured.Unstructured, key []byte, clusterUID string) {
	if len(key) == 0 {
		unstructured.RemoveNestedField(u.Object, "data", signatureKey)
		return
	}
	_ = unstructured.SetNestedField(u.Object, computeSignature(u, key, clusterUID), "data", signatureKey) // no error: newConfigMap sets the data to a map
}

// Verifies reports whether the ConfigMap of an inventory was signed with the key, under its name and for the cluster with the UID, and its signed keys have not
// changed since.
func Verifies(u *unstructured.Unstructured, key []byte, clusterUID string) bool {
	found, _, _ := unstructured.NestedString(u.Object, "data", signatureKey)
	return len(key) > 0 && hmac.Equal([]byte(found), []byte(computeSignature(u, key, clusterUID)))
}

// computeSignature returns the HMAC-SHA256 over the name of the ConfigMap, the cluster's UID, and the texts of the signed keys as they are stored. The length
// of each part precedes it, so that no two inventories have the same input.
func computeSignature(u *unstructured.Unstructured, key []byte, clusterUID string) string {
	sum := hmac.New(sha256.New, key)
	parts := []string{signatureDomain, u.GetName(), clusterUID}
	for _, name := range signedKeys {
		text, _, _ := unstructured.NestedString(u.Object, "data", name)
		parts = append(parts, text)
	}
	for _, part := range parts {
		_ = binary.Write(sum, binary.BigEndian, uint64(len(part))) // a hash accepts every write
		_, _ = sum.Write([]byte(part))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Unproven returns the parts of an inventory that are used although the inventory does not verify: the ConfigMap that a write replaces, the lease of an
// operation in progress, the name of the placement, and the identity of the resource. The result has no objects and no spec.
func (i *Inventory) Unproven() *Inventory {
	out := &Inventory{Head: Head{Name: i.Name, ID: i.ID, HasManifests: true}, Lease: i.Lease, Live: i.Live, isUnproven: true}
	return out.Indexed()
}

// IsUnproven reports whether the inventory exists on the cluster and does not verify.
func (i *Inventory) IsUnproven() bool { return i != nil && i.isUnproven }

// Matches reports whether the manifests are those that the inventory was written with.
func (m Manifests) Matches(i *Inventory) bool {
	return manifest.SameHash(i.ManifestsHash, manifest.HashTexts(m.Stored)) && manifest.SameHash(i.WriteOnlyHash, manifest.HashTexts(m.WriteOnly))
}
