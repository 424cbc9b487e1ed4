package convert

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	placementv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// WithoutStrays returns a merge patch for the spec of a stored object. The patch removes stray fields: fields that are neither configured nor filled in by the
// hub. WithoutStrays returns nil if there are no stray fields, or if filledIn returns nil for the kind of the object. The patch is necessary because a
// server-side apply removes only fields that its own manager has applied, but plans show that fields of other clients are removed, too.
func WithoutStrays(want, stored *unstructured.Unstructured) (map[string]any, error) {
	filled, err := filledIn(want)
	if err != nil || filled == nil {
		return nil, err
	}
	configured, _, _ := unstructured.NestedMap(want.Object, "spec")
	defaults, _, _ := unstructured.NestedMap(filled.Object, "spec")
	is, _, _ := unstructured.NestedMap(stored.Object, "spec")
	patch, found := withoutStrays(configured, defaults, is)
	if !found {
		return nil, nil
	}
	return patch, nil
}

// withoutStrays returns the configured fields, with a null for every field to remove. found reports whether the patch removes a field or replaces a list.
func withoutStrays(configured, filled, stored map[string]any) (patch map[string]any, found bool) {
	patch = maps.Clone(configured)
	if patch == nil {
		patch = map[string]any{}
	}
	for field, value := range stored {
		own, isOwn := configured[field]
		below, isMap := value.(map[string]any)
		filledBelow, fills := filled[field].(map[string]any)
		switch {
		case isMap && fills:
			ownBelow, _ := own.(map[string]any)
			inner, strays := withoutStrays(ownBelow, filledBelow, below)
			if strays {
				patch[field], found = inner, true
			}
		case isOwn:
			_, isList := value.([]any)
			found = found || isList && !holds(value, own)
		case !empty(value) && !equal(value, filled[field]):
			patch[field], found = nil, true
		}
	}
	return patch, found
}

// WithoutEmpty returns want with one default added to each empty mapping in its spec, if the mapping has a default that is a string. When an object is created,
// the API server records the defaults as fields of the client. A later server-side apply with an empty mapping would remove these fields, and leave the invalid
// value null.
func WithoutEmpty(want *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	filled, err := filledIn(want)
	if err != nil || filled == nil {
		return want, err
	}
	out := want.DeepCopy()
	configured, _, _ := unstructured.NestedMap(out.Object, "spec")
	defaults, _, _ := unstructured.NestedMap(filled.Object, "spec")
	fillEmpty(configured, defaults)
	return out, unstructured.SetNestedMap(out.Object, configured, "spec")
}

func fillEmpty(configured, filled map[string]any) {
	for field, value := range configured {
		own, isMap := value.(map[string]any)
		defaults, fills := filled[field].(map[string]any)
		if !isMap || !fills {
			continue
		}
		if fillEmpty(own, defaults); len(own) > 0 {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(defaults)) {
			if text, isText := defaults[name].(string); isText {
				own[name] = text
				break
			}
		}
	}
}

// filledIn returns an object with the fields that the API server and the agents of a hub fill in. It returns nil for a kind that this function does not list,
// such as evictions and the kinds of staged updates.
func filledIn(want *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	switch want.GetKind() {
	case placementv1beta1.ClusterResourcePlacementKind, placementv1beta1.ResourcePlacementKind:
		return refilled(want, func(p *placementv1beta1.ClusterResourcePlacement) {
			p.Spec = FromPlacementSpec(defaultedSpec(ToPlacementSpec(p.Spec)))
		})
	case placementv1beta1.ClusterResourceOverrideKind:
		return refilled(want, func(o *placementv1beta1.ClusterResourceOverride) {
			o.Spec = FromClusterOverride(defaultedClusterOverride(ToClusterOverride(o.Spec)))
		})
	case placementv1beta1.ResourceOverrideKind:
		return refilled(want, func(o *placementv1beta1.ResourceOverride) {
			o.Spec = FromOverride(defaultedOverride(ToOverride(o.Spec)))
		})
	case clusterv1beta1.MemberClusterKind:
		return refilled(want, func(m *clusterv1beta1.MemberCluster) { m.Spec = FromMember(defaultedMember(ToMember(*m))).Spec })
	case placementv1beta1.ClusterResourcePlacementDisruptionBudgetKind:
		return want, nil
	default:
		return nil, nil
	}
}

func refilled[T any](u *unstructured.Unstructured, fill func(*T)) (*unstructured.Unstructured, error) {
	typed, err := codec.Decode[T](u)
	if err != nil {
		return nil, err
	}
	fill(typed)
	return codec.Encode(typed, u.GroupVersionKind())
}
