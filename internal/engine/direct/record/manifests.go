package record

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

const manifestsKey = "manifests.json.gz"

// EncodeManifests makes the Secret that keeps the manifests of a placement on a member so that the placement can be imported. It is a Secret
// because the manifests may hold Secrets.
func EncodeManifests(placementName string, manifests map[string]string) (*unstructured.Unstructured, error) {
	packed, err := manifest.Pack(manifests)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: map[string]any{"type": "fleet.terraform.io/manifests", "data": map[string]any{manifestsKey: packed}}}
	u.SetGroupVersionKind(SecretKind)
	u.SetNamespace(Namespace)
	u.SetName(InventoryName(placementName))
	u.SetLabels(map[string]string{KindLabel: PlacementKind})
	return u, nil
}

// DecodeManifests reads them back.
func DecodeManifests(u *unstructured.Unstructured) (map[string]string, error) {
	text, _, _ := unstructured.NestedString(u.Object, "data", manifestsKey)
	out, err := manifest.Unpack(text)
	if err != nil {
		return nil, fmt.Errorf("the manifests in Secret %s/%s: %w", u.GetNamespace(), u.GetName(), err)
	}
	return out, nil
}
