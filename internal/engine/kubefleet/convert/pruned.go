package convert

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	clusterv1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	placementv1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1"
	placementv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// lacking has a constructor for the type of each kind in a version that has fewer fields than v1beta1.
var lacking = map[schema.GroupVersionKind]func() any{
	clusterv1.GroupVersion.WithKind(clusterv1beta1.MemberClusterKind): func() any { return &clusterv1.MemberCluster{} },
	placementv1.GroupVersion.WithKind(placementv1beta1.ClusterResourcePlacementKind): func() any {
		return &placementv1.ClusterResourcePlacement{}
	},
	placementv1.GroupVersion.WithKind(placementv1beta1.ResourcePlacementKind): func() any { return &placementv1.ResourcePlacement{} },
}

// Unsupported lists the fields of an object that its version does not have, as paths of attributes. With strict field validation, the API server rejects such
// a field. Without it, the API server drops the field silently.
func Unsupported(u *unstructured.Unstructured) ([]placement.Path, error) {
	newObject, found := lacking[u.GroupVersionKind()]
	if !found {
		return nil, nil
	}
	typed := newObject()
	if err := codec.Fill(typed, u.Object); err != nil {
		return nil, err
	}
	kept, err := codec.Tree(typed)
	if err != nil {
		return nil, err
	}
	return Pruned(u, &unstructured.Unstructured{Object: kept}), nil
}

// Pruned lists the fields of a sent object that are missing in the stored object, as paths of attributes. Empty fields count as stored, because hubs drop them
// without a change in meaning. For labels, annotations and the manifests of an envelope, Pruned checks only whether each key exists.
func Pruned(sent, stored *unstructured.Unstructured) []placement.Path {
	var out []placement.Path
	for _, name := range []string{"labels", "annotations"} {
		sentKeys, _, _ := unstructured.NestedMap(sent.Object, "metadata", name)
		storedKeys, _, _ := unstructured.NestedMap(stored.Object, "metadata", name)
		out = append(out, prunedKeys(placement.At(name), sentKeys, storedKeys)...)
	}
	sentData, _, _ := unstructured.NestedMap(sent.Object, "data")
	storedData, _, _ := unstructured.NestedMap(stored.Object, "data")
	out = append(out, prunedKeys(placement.At("manifests"), sentData, storedData)...)
	sentSpec, _, _ := unstructured.NestedMap(sent.Object, "spec")
	storedSpec, _, _ := unstructured.NestedMap(stored.Object, "spec")
	return append(out, prunedFields(nil, sentSpec, storedSpec)...)
}

// Holds reports whether a stored object has all the fields that were sent, with the same values. Additional fields are allowed, because they are defaults or
// belong to others. In the metadata, Holds compares only labels and annotations.
func Holds(stored, sent *unstructured.Unstructured) bool {
	for field, value := range sent.Object {
		if field != "metadata" && !holds(stored.Object[field], value) {
			return false
		}
	}
	return holds(toAny(stored.GetLabels()), toAny(sent.GetLabels())) && holds(toAny(stored.GetAnnotations()), toAny(sent.GetAnnotations()))
}

func holds(stored, sent any) bool {
	switch sent := sent.(type) {
	case map[string]any:
		stored, is := stored.(map[string]any)
		for key, value := range sent {
			if !holds(stored[key], value) {
				return false
			}
		}
		return is || empty(sent)
	case []any:
		stored, _ := stored.([]any)
		return slices.EqualFunc(stored, sent, holds)
	default:
		return equal(stored, sent)
	}
}

func toAny(texts map[string]string) map[string]any {
	out := make(map[string]any, len(texts))
	for key, text := range texts {
		out[key] = text
	}
	return out
}

// prunedKeys lists the keys that are missing in stored, for a mapping whose keys the user chooses.
func prunedKeys(path placement.Path, sent, stored map[string]any) (out []placement.Path) {
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		if _, found := stored[key]; !found {
			out = append(out, path.Key(key))
		}
	}
	return out
}

// prunedFields lists the fields that are missing in stored, for a mapping whose keys are fields of the API.
func prunedFields(path placement.Path, sent, stored map[string]any) (out []placement.Path) {
	for _, field := range slices.Sorted(maps.Keys(sent)) {
		below := path.Attribute(attribute(field))
		value, found := stored[field]
		if !found {
			if !empty(sent[field]) {
				out = append(out, below)
			}
			continue
		}
		out = append(out, prunedValue(below, field, sent[field], value)...)
	}
	return out
}

func prunedValue(path placement.Path, field string, sent, stored any) (out []placement.Path) {
	switch sent := sent.(type) {
	case map[string]any:
		stored, _ := stored.(map[string]any)
		switch field {
		case "matchLabels":
			return prunedKeys(path, sent, stored)
		case "value": // the value of a patch is a single attribute that contains any JSON
			return nil
		}
		return prunedFields(path, sent, stored)
	case []any:
		stored, _ := stored.([]any)
		for i := range sent {
			if i >= len(stored) {
				out = append(out, path.Index(i))
				continue
			}
			out = append(out, prunedValue(path.Index(i), field, sent[i], stored[i])...)
		}
	}
	return out
}

// attribute returns the name of the Terraform attribute for a field of the API: the field name in snake case.
func attribute(field string) string {
	var b strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
