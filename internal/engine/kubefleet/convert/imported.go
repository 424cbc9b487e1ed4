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

// ImportedPlacement reads the spec of a placement that no configuration is known of, in the words of who wrote it as far as they can be told:
// what the field manager has applied, or else what kubectl says that it has. Where neither is known, what a hub fills in is left out.
func ImportedPlacement(u *unstructured.Unstructured, manager string) (placement.Spec, error) {
	stored, applied, err := storedAndApplied[placementv1beta1.ClusterResourcePlacement](u, manager)
	if err != nil {
		return placement.Spec{}, err
	}
	return PlacementAsWritten(ToPlacementSpec(stored.Spec), minimalElements(ToPlacementSpec(applied.Spec)))
}

// ImportedClusterOverride is [ImportedPlacement] for an override of cluster-scoped objects.
func ImportedClusterOverride(u *unstructured.Unstructured, manager string) (override.ClusterSpec, error) {
	stored, applied, err := storedAndApplied[placementv1beta1.ClusterResourceOverride](u, manager)
	if err != nil {
		return override.ClusterSpec{}, err
	}
	written := ToClusterOverride(applied.Spec)
	written.ClusterResourceSelectors, written.Policy = each(written.ClusterResourceSelectors, minimalSelector), minimalRules(written.Policy)
	return ClusterOverrideAsWritten(ToClusterOverride(stored.Spec), written)
}

// ImportedOverride is [ImportedPlacement] for an override of objects in its namespace.
func ImportedOverride(u *unstructured.Unstructured, manager string) (override.Spec, error) {
	stored, applied, err := storedAndApplied[placementv1beta1.ResourceOverride](u, manager)
	if err != nil {
		return override.Spec{}, err
	}
	written := ToOverride(applied.Spec)
	written.Policy = minimalRules(written.Policy)
	return OverrideAsWritten(ToOverride(stored.Spec), written)
}

// ImportedMember is [ImportedPlacement] for a member. Of one that somebody has applied, only the labels and annotations that he has are there;
// of others all but those with [ForeignPrefixes]. One that Azure has made is adopted, with what was applied of it.
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
	if applied.Spec.Identity == (clusterv1beta1.Subject{}) { // which is required: nobody is known to have applied it
		return MemberAsWritten(ToMember(*stored), nil)
	}
	return MemberAsWritten(ToMember(*stored), new(ToMember(*applied)))
}

// storedAndApplied decodes an object, and what is known to have been applied of it; nothing is an empty object.
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

// appliedBy is the part of an object that a field manager has applied, or else that kubectl says that it has; false if neither is known. Lists
// are whole, so that what the hub has filled into their elements is there.
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

// owned is the part of a value that a set of fields names. A field with none below it is there as a whole, as lists are.
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
