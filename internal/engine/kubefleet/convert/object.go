package convert

import (
	"encoding/json"
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Encode writes an object of the package of types of any version as one of a kind and version. Fields that the version does not have are
// written all the same: [Unsupported] tells them.
func Encode(object any, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	content, err := tree(object)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind.Kind, err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// Decode reads an object of any version into a type of v1beta1, which has the fields of all.
func Decode[T any](u *unstructured.Unstructured) (*T, error) {
	out := new(T)
	if err := fill(out, u.Object); err != nil {
		return nil, fmt.Errorf("decode %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return out, nil
}

// tree is the JSON of a value, with whole numbers as int64, 1.0 too.
func tree(value any) (map[string]any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := utiljson.Unmarshal(data, &out); err != nil {
		return nil, err
	}
	whole(out)
	return out, nil
}

func whole(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = whole(v[key])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case float64:
		if n := int64(v); float64(n) == v && n > math.MinInt64 && n < math.MaxInt64 {
			return n
		}
	}
	return value
}

// fill is the other way.
func fill(value any, tree map[string]any) error {
	data, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, value)
}

// each converts the elements of a list; nil stays nil, because an empty list that was written is another thing than none.
func each[A, B any](in []A, convert func(A) B) []B {
	if in == nil {
		return nil
	}
	return all(in, convert)
}

// all converts the elements of a list that the API requires: none are an empty one.
func all[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = convert(a)
	}
	return out
}

// maybe converts what is there.
func maybe[A, B any](in *A, convert func(A) B) *B {
	if in == nil {
		return nil
	}
	return new(convert(*in))
}
