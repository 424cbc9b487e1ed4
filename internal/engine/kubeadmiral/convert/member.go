package convert

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Reach has the settings with which a control plane connects to a member.
type Reach struct {
	Endpoint                    string
	Insecure, UseServiceAccount bool
	Secret                      string
}

// NewReach returns the connection settings of a member that the provider registers.
func NewReach(name, endpoint string, insecure bool) Reach {
	return Reach{Endpoint: endpoint, Insecure: insecure, UseServiceAccount: true, Secret: SecretName(name)}
}

// ReachOf returns the connection settings of a registered member.
func ReachOf(m v1alpha1.FederatedCluster) Reach {
	return Reach{Endpoint: m.Spec.APIEndpoint, Insecure: m.Spec.Insecure, UseServiceAccount: m.Spec.UseServiceAccount, Secret: m.Spec.SecretRef.Name}
}

// RegisteredBy reports whether a field manager owns the address of a member: it has then registered the member.
func RegisteredBy(live *unstructured.Unstructured, manager string) bool {
	return owns(live, manager, "f:apiEndpoint")
}

// OwnsTaints reports whether a field manager owns the taints of a member. Field managers own the list as a whole.
func OwnsTaints(live *unstructured.Unstructured, manager string) bool {
	return owns(live, manager, "f:taints")
}

func owns(live *unstructured.Unstructured, manager, field string) bool {
	return slices.ContainsFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		if entry.Manager != manager || entry.Subresource != "" || entry.FieldsV1 == nil {
			return false
		}
		var fields map[string]any
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			return false
		}
		_, found, _ := unstructured.NestedFieldNoCopy(fields, "f:spec", field)
		return found
	})
}

// FromMember returns the registration of a member. If reach is nil, another system registered the member, and the result has only labels, annotations and
// taints.
func FromMember(spec member.Spec, reach *Reach) v1alpha1.FederatedCluster {
	out := v1alpha1.FederatedCluster{
		ObjectMeta: metav1.ObjectMeta{Name: spec.Name, Labels: maps.Clone(spec.Labels), Annotations: maps.Clone(spec.Annotations)},
	}
	if reach != nil {
		out.Spec = v1alpha1.FederatedClusterSpec{
			APIEndpoint: reach.Endpoint, Insecure: reach.Insecure, UseServiceAccount: reach.UseServiceAccount,
			SecretRef: v1alpha1.LocalSecretReference{Name: reach.Secret},
		}
	}
	for _, t := range spec.Taints {
		out.Spec.Taints = append(out.Spec.Taints, v1alpha1.Taint{Key: t.Key, Value: t.Value, Effect: v1alpha1.TaintEffect(t.Effect)})
	}
	return out
}

// SecretName returns the name of the Secret that the provider creates for the credentials of a member.
func SecretName(member string) string { return member + "-credentials" }

// These are the keys that the provider writes to the Secret with the credentials of a member. The control plane adds a key with the token of its
// ServiceAccount.
const (
	SecretCA          = "certificate-authority-data"
	SecretCertificate = "client-certificate-data"
	SecretKey         = "client-key-data"
	SecretToken       = "bootstrap-token-data" //nolint:gosec // the name of a key
)

// MemberAsWritten converts a registration to the form of the configuration. It includes only configured labels and annotations and, for a member that another
// system has registered, only configured taints. Fields that a registration does not store keep their configured values. Without a configuration, written is
// nil, and the result includes all labels and annotations except those of the control plane and kubectl.
func MemberAsWritten(stored v1alpha1.FederatedCluster, written *member.Spec) member.Spec {
	taints := TaintsOf(stored)
	if written == nil {
		return member.Spec{Name: stored.Name, Labels: notForeign(stored.Labels), Annotations: notForeign(stored.Annotations), Taints: taints}
	}
	out := *written
	out.Labels, out.Annotations = selectConfigured(stored.Labels, written.Labels), selectConfigured(stored.Annotations, written.Annotations)
	if written.Adopts() {
		out.Taints = member.ManagedTaints(taints, written.Taints)
	} else if written.Taints != nil || len(taints) > 0 {
		out.Taints = append([]member.Taint{}, taints...) // an empty set in the configuration is not null
	}
	return out
}

// TaintsOf returns the taints of a registration.
func TaintsOf(stored v1alpha1.FederatedCluster) []member.Taint {
	var out []member.Taint
	for _, t := range stored.Spec.Taints {
		out = append(out, member.Taint{Key: t.Key, Value: t.Value, Effect: placement.TaintEffect(t.Effect)})
	}
	return out
}

func selectConfigured(stored, written map[string]string) map[string]string {
	if written == nil {
		return nil
	}
	out := map[string]string{}
	for key := range written {
		if value, found := stored[key]; found {
			out[key] = value
		}
	}
	return out
}

// MemberStatus returns the status of a member. The condition Ready of the registration becomes [member.Healthy].
func MemberStatus(m v1alpha1.FederatedCluster) member.Status {
	out := member.Status{Properties: map[string]string{}, Usage: member.ResourceUsage{}}
	for _, c := range m.Status.Conditions {
		conditionType := c.Type
		if conditionType == v1alpha1.ConditionReady {
			conditionType = member.Healthy
		}
		out.Conditions = append(out.Conditions, member.Condition{Type: conditionType, Status: c.Status, Reason: c.Reason, Message: c.Message})
	}
	if n := m.Status.Resources.SchedulableNodes; n != nil {
		out.Properties[member.NodeCountProperty] = strconv.FormatInt(*n, 10)
	}
	for name, q := range m.Status.Resources.Allocatable {
		set(&out.Usage.Allocatable, name, q.String())
	}
	for name, q := range m.Status.Resources.Available {
		set(&out.Usage.Available, name, q.String())
	}
	return out
}

func set(to *map[string]string, key, value string) {
	if *to == nil {
		*to = map[string]string{}
	}
	(*to)[key] = value
}

// Condition returns a condition of a member, or nil if the member does not have it.
func Condition(m v1alpha1.FederatedCluster, conditionType string) *v1alpha1.ClusterCondition {
	for i := range m.Status.Conditions {
		if m.Status.Conditions[i].Type == conditionType {
			return &m.Status.Conditions[i]
		}
	}
	return nil
}

// Is reports whether a condition of a member is True.
func Is(m v1alpha1.FederatedCluster, conditionType string) bool {
	c := Condition(m, conditionType)
	return c != nil && c.Status == string(metav1.ConditionTrue)
}
