package record

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const manifestsKey = "manifests.json.gz"

// EncodeManifests makes the Secret that keeps the manifests of a placement on a member so that the placement can be imported. It is a Secret because the
// manifests may hold Secrets.
func EncodeManifests(placementName string, manifests map[string]string) (*unstructured.Unstructured, error) {
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
	u.SetGroupVersionKind(SecretKind)
	u.SetNamespace(Namespace)
	u.SetName(InventoryName(placementName))
	u.SetLabels(map[string]string{KindLabel: PlacementKind})
	return u, nil
}

// DecodeManifests reads them back.
func DecodeManifests(u *unstructured.Unstructured) (map[string]string, error) {
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
