// Package codec converts between the API types of a control plane and unstructured objects. It accesses no cluster.
package codec

import (
	"encoding/json"
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Encode returns an API type as an object of a kind and version. Fields that the version does not have remain in the object.
func Encode(object any, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	content, err := Tree(object)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind.Kind, err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// Decode returns an object as an API type. Fields that the type does not have are dropped.
func Decode[T any](u *unstructured.Unstructured) (*T, error) {
	out := new(T)
	if err := Fill(out, u.Object); err != nil {
		return nil, fmt.Errorf("decode %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return out, nil
}

// Tree returns the JSON of a value as a tree. Numbers without a fraction, such as 1 and 1.0, are int64.
func Tree(value any) (map[string]any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := utiljson.Unmarshal(data, &out); err != nil {
		return nil, err
	}
	setIntegers(out)
	return out, nil
}

// Fill sets the fields of a value from the tree of its JSON.
func Fill(value any, tree map[string]any) error {
	data, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, value)
}

// setIntegers converts floating-point numbers without a fraction in a tree to int64, and returns the tree.
func setIntegers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = setIntegers(v[key])
		}
	case []any:
		for i := range v {
			v[i] = setIntegers(v[i])
		}
	case float64:
		if n := int64(v); float64(n) == v && n > math.MinInt64 && n < math.MaxInt64 {
			return n
		}
	}
	return value
}
