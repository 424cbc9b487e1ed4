package convert

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	placementv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ImportedPlacement reads the spec of a placement that has no configuration. It returns the fields as their author wrote them: the fields that the field
// manager has applied, or else the last configuration that kubectl recorded. If neither is known, it omits the hub's defaults.
func ImportedPlacement(u *unstructured.Unstructured, manager string) (placement.Spec, error) {
	stored, applied, err := storedAndApplied[placementv1beta1.ClusterResourcePlacement](u, manager)
	if err != nil {
		return placement.Spec{}, err
	}
	return PlacementAsWritten(ToPlacementSpec(stored.Spec), minimalElements(ToPlacementSpec(applied.Spec)))
}

// ImportedClusterOverride does the same as [ImportedPlacement] for an override of cluster-scoped objects.
func ImportedClusterOverride(u *unstructured.Unstructured, manager string) (override.ClusterSpec, error) {
	stored, applied, err := storedAndApplied[placementv1beta1.ClusterResourceOverride](u, manager)
	if err != nil {
		return override.ClusterSpec{}, err
	}
	written := ToClusterOverride(applied.Spec)
	written.ClusterResourceSelectors, written.Policy = each(written.ClusterResourceSelectors, minimalSelector), minimalRules(written.Policy)
	return ClusterOverrideAsWritten(ToClusterOverride(stored.Spec), written)
}

// ImportedOverride does the same as [ImportedPlacement] for an override of objects in its namespace.
func ImportedOverride(u *unstructured.Unstructured, manager string) (override.Spec, error) {
	stored, applied, err := storedAndApplied[placementv1beta1.ResourceOverride](u, manager)
	if err != nil {
		return override.Spec{}, err
	}
	written := ToOverride(applied.Spec)
	written.Policy = minimalRules(written.Policy)
	return OverrideAsWritten(ToOverride(stored.Spec), written)
}

// ImportedMember does the same as [ImportedPlacement] for a member. If it is known which fields were applied, the result has only the applied labels and
// annotations. Otherwise it has all except those with [ForeignPrefixes]. A member created by Azure is adopted, with the applied labels, annotations and taints.
func ImportedMember(u *unstructured.Unstructured, manager string) (member.Spec, error) {
	stored, applied, err := storedAndApplied[clusterv1beta1.MemberCluster](u, manager)
	if err != nil {
		return member.Spec{}, err
	}
	if MadeByAzure(u) {
		written := ToMember(*applied)
		return MemberAsWritten(ToMember(*stored), &member.Spec{
			AdoptExisting: new(true), Labels: withoutForeign(written.Labels), Annotations: withoutForeign(written.Annotations), Taints: written.Taints,
		})
	}
	if applied.Spec.Identity == (clusterv1beta1.Subject{}) { // the API requires an identity, so the author of the member is unknown
		return MemberAsWritten(ToMember(*stored), nil)
	}
	return MemberAsWritten(ToMember(*stored), new(ToMember(*applied)))
}

// storedAndApplied decodes an object, and the part of it that is known to have been applied. If no part is known, applied is an empty object.
func storedAndApplied[T any](u *unstructured.Unstructured, manager string) (stored, applied *T, err error) {
	if stored, err = codec.Decode[T](u); err != nil {
		return nil, nil, err
	}
	written, found := appliedBy(u, manager)
	if !found {
		return stored, new(T), nil
	}
	applied, err = codec.Decode[T](written)
	return stored, applied, err
}

// appliedBy returns the part of an object that a field manager has applied, or else the last configuration recorded by kubectl. It returns false if neither
// is known. The part contains whole lists, including defaults that the hub has filled into their elements.
func appliedBy(u *unstructured.Unstructured, manager string) (*unstructured.Unstructured, bool) {
	for _, entry := range u.GetManagedFields() {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			return nil, false
		}
		content, is := owned(u.Object, fields).(map[string]any)
		return &unstructured.Unstructured{Object: content}, is
	}
	if text := u.GetAnnotations()[lastApplied]; text != "" {
		applied := &unstructured.Unstructured{}
		err := json.Unmarshal([]byte(text), &applied.Object)
		return applied, err == nil && applied.Object != nil
	}
	return nil, false
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// owned returns the part of value that fields, a decoded FieldsV1, names. It returns the whole value of a field without fields below it, such as a list.
func owned(value any, fields map[string]any) any {
	mapping, isMap := value.(map[string]any)
	out, below := map[string]any{}, false
	for name, set := range fields {
		field, is := strings.CutPrefix(name, "f:")
		if !is {
			continue
		}
		below = true
		children, _ := set.(map[string]any)
		if child, found := mapping[field]; found {
			out[field] = owned(child, children)
		}
	}
	if !isMap || !below {
		return value
	}
	return out
}
