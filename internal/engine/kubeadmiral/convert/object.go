package convert

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

// Encode writes an object of the types of the API as one of a kind.
func Encode(object any, kind string) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind, err)
	}
	u := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(data, &u.Object); err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind, err)
	}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	return u, nil
}

// Decode reads an object into a type of the API.
func Decode[T any](u *unstructured.Unstructured) (*T, error) {
	data, err := json.Marshal(u.Object)
	out := new(T)
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return out, nil
}
