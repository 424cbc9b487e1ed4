package record

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

const (
	manifestsKey = "manifests.json.gz"
	writeOnlyKey = "manifests_wo.json.gz"
)

// Manifests are the manifests that a placement was applied with. The WriteOnly ones are in no Terraform state.
type Manifests struct{ Stored, WriteOnly map[string]string }

func (m Manifests) isEmpty() bool { return len(m.Stored)+len(m.WriteOnly) == 0 }

// Encode returns the Secret that stores the manifests of a placement on a member. The engine needs it to import the placement and to read it without its
// configuration. It is a Secret because the manifests may contain Secrets.
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
	u := &unstructured.Unstructured{Object: map[string]any{"type": "fleet.terraform.io/manifests", "data": data}}
	u.SetGroupVersionKind(SecretKind)
	u.SetNamespace(Namespace)
	u.SetName(InventoryName(placementName))
	u.SetLabels(map[string]string{KindLabel: PlacementKind})
	return u, nil
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
