package record

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	manifestsKey = "manifests.json.gz"
	writeOnlyKey = "manifests_wo.json.gz"

	manifestsType = "fleet.terraform.io/manifests"
)

// Manifests are the manifests that a placement was applied with. The WriteOnly ones are in no Terraform state.
type Manifests struct{ Stored, WriteOnly map[string]string }

func (m Manifests) isEmpty() bool { return len(m.Stored)+len(m.WriteOnly) == 0 }

// Encode returns the Secret that stores the manifests of a placement on a member. The engine needs the Secret to import the placement, and to read the placement
// without its configuration. It is a Secret because the manifests may contain Secrets.
func (m Manifests) Encode(placementName string) (*unstructured.Unstructured, error) {
	data := map[string]any{}
	for key, texts := range map[string]map[string]string{manifestsKey: m.Stored, writeOnlyKey: m.WriteOnly} {
		if len(texts) == 0 {
			continue
		}
		packed, err := manifest.Pack(texts)
		if err != nil {
			return nil, err
		}
		data[key] = packed
	}
	return newManifests(placementName, data), nil
}

func newManifests(placementName string, data any) *unstructured.Unstructured {
	return newRecord(SecretKind, InventoryName(placementName), PlacementKind, map[string]any{"type": manifestsType, "data": data})
}

// CopyManifests returns the Secret for a renamed placement. placementName is the new name. secret has the manifests to copy, under a former name of the
// placement.
func CopyManifests(secret *unstructured.Unstructured, placementName string) *unstructured.Unstructured {
	return newManifests(placementName, secret.DeepCopy().Object["data"])
}

// HasStoredManifests reports whether the cluster has the Secret with the manifests that the inventory was written with.
func (i *Inventory) HasStoredManifests(ctx context.Context, cluster *kube.Cluster) (bool, error) {
	secret, err := Find(ctx, cluster, SecretKind, InventoryName(i.Name))
	if err != nil || secret == nil || !IsInventory(secret) {
		return false, err
	}
	kept, err := DecodeManifests(secret)
	return err == nil && kept.Matches(i), nil // a damaged Secret does not match
}

// DecodeManifests decodes the Secret that Encode returns.
func DecodeManifests(u *unstructured.Unstructured) (Manifests, error) {
	var out Manifests
	for key, into := range map[string]*map[string]string{manifestsKey: &out.Stored, writeOnlyKey: &out.WriteOnly} {
		text, found, _ := unstructured.NestedString(u.Object, "data", key)
		if !found {
			continue
		}
		var err error
		if *into, err = manifest.Unpack(text); err != nil {
			return Manifests{}, fmt.Errorf("the manifests in Secret %s/%s: %w", u.GetNamespace(), u.GetName(), err)
		}
	}
	return out, nil
}
