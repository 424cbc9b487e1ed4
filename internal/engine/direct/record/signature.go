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
	// signatureKey is the key of the ConfigMap under which an inventory has its signature.
	signatureKey = "signature"
	// signatureDomain keeps a signature of an inventory from being one of anything else, or of another format.
	signatureDomain = "fleet.terraform.io/inventory/v1"
	hashLength      = 2 * sha256.Size
)

// signedKeys are the keys of the ConfigMap that a signature covers: everything but the mark of an operation that is in progress, which decides nothing
// and which accounts without the placement's key renew.
var signedKeys = []string{inventoryKey, specKey, objectsKey}

// Sign signs the ConfigMap of an inventory for the cluster with the UID. Without a key it has no signature.
func Sign(u *unstructured.Unstructured, key []byte, clusterUID string) {
	if len(key) == 0 {
		unstructured.RemoveNestedField(u.Object, "data", signatureKey)
		return
	}
	_ = unstructured.SetNestedField(u.Object, signature(u, key, clusterUID), "data", signatureKey) // the data are a map, as newConfigMap makes them
}

// Verifies reports whether the ConfigMap of an inventory was signed with the key, under its name and for the cluster with the UID, and has not been
// changed since.
func Verifies(u *unstructured.Unstructured, key []byte, clusterUID string) bool {
	found, _, _ := unstructured.NestedString(u.Object, "data", signatureKey)
	return len(key) > 0 && hmac.Equal([]byte(found), []byte(signature(u, key, clusterUID)))
}

// signature returns the HMAC-SHA256 over the name of the ConfigMap, the cluster's UID, and the texts of the signed keys as they are stored. The length of
// each part precedes it, so that no two inventories have the same input.
func signature(u *unstructured.Unstructured, key []byte, clusterUID string) string {
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

// Unproven returns what is used of an inventory that does not verify: the ConfigMap that a write replaces, whose operation is in progress by its mark,
// and the identity that it claims. It has no objects and no spec.
func (i *Inventory) Unproven() *Inventory {
	out := &Inventory{Head: Head{Name: i.Name, ID: i.ID, HasManifests: true}, UnderWay: i.UnderWay, Live: i.Live, unproven: true}
	return out.Indexed()
}

// IsUnproven reports whether the inventory exists on the cluster and does not verify.
func (i *Inventory) IsUnproven() bool { return i != nil && i.unproven }

// Matches reports whether the manifests are those that the inventory was written with.
func (m Manifests) Matches(i *Inventory) bool {
	return manifest.SameHash(i.ManifestsHash, manifest.HashTexts(m.Stored)) && manifest.SameHash(i.WriteOnlyHash, manifest.HashTexts(m.WriteOnly))
}
