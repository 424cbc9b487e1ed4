package convert

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// azureResource is an annotation that only members of Azure's fleets have. Azure creates and deletes these members.
const azureResource = "fleet.azure.com/cluster-resource-id"

// MadeByAzure reports whether Azure has created the member, according to its annotations.
func MadeByAzure(u *unstructured.Unstructured) bool { return u.GetAnnotations()[azureResource] != "" }

// AdoptedMember returns the object to apply for a member that another system has created: its labels, annotations and taints. A field manager owns the list of
// taints as a whole, so the object includes the taints of others, but not the previously configured taints (before). If manager owns the identity, because it
// managed the whole member earlier, the object includes the identity: an apply without it would remove the identity, which the API requires.
func AdoptedMember(s member.Spec, before []member.Taint, live *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	stored, err := codec.Decode[v1beta1.MemberCluster](live)
	if err != nil {
		return nil, err
	}
	var taints []member.Taint
	if len(s.Taints)+len(before) > 0 || manages(live, manager, "f:spec", "f:taints") {
		taints = member.MergeTaints(ToMember(*stored).Taints, before, s.Taints)
	}
	out, err := codec.Encode(FromMember(member.Spec{Name: s.Name, Labels: s.Labels, Annotations: s.Annotations, Taints: taints}), live.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(out.Object, "spec", "identity")
	if identity, found, _ := unstructured.NestedMap(live.Object, "spec", "identity"); found && manages(live, manager, "f:spec", "f:identity") {
		if err := unstructured.SetNestedMap(out.Object, identity, "spec", "identity"); err != nil {
			return nil, err
		}
	}
	if spec, _, _ := unstructured.NestedMap(out.Object, "spec"); len(spec) == 0 {
		unstructured.RemoveNestedField(out.Object, "spec")
	}
	return out, nil
}

func manages(u *unstructured.Unstructured, manager string, field ...string) bool {
	for _, entry := range u.GetManagedFields() {
		if entry.Manager != manager || entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			continue
		}
		if _, found, _ := unstructured.NestedFieldNoCopy(fields, field...); found {
			return true
		}
	}
	return false
}

// adopted returns the part of a stored member that the configuration of an adopted member manages: the labels and annotations with keys in written, and the
// taints in written.
func adopted(stored, written member.Spec) member.Spec {
	out := member.Spec{
		Name: stored.Name, Labels: only(stored.Labels, written.Labels), Annotations: only(stored.Annotations, written.Annotations),
	}
	out.Taints = member.ManagedTaints(stored.Taints, written.Taints)
	return out
}
