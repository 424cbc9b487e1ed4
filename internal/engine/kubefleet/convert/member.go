package convert

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// FromMember encodes the registration of a member. If s has no identity, the result has an empty identity, which a hub rejects.
func FromMember(s member.Spec) v1beta1.MemberCluster {
	out := v1beta1.MemberCluster{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name, Labels: maps.Clone(s.Labels), Annotations: maps.Clone(s.Annotations)},
		Spec: v1beta1.MemberClusterSpec{
			HeartbeatPeriodSeconds: s.HeartbeatPeriodSeconds,
			Taints: each(s.Taints, func(t member.Taint) v1beta1.Taint {
				return v1beta1.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)}
			}),
			DeleteOptions: maybe(s.DeleteOptions, func(d member.DeleteOptions) v1beta1.DeleteOptions {
				return v1beta1.DeleteOptions{ValidationMode: string(d.ValidationMode)}
			}),
		},
	}
	if i := s.Identity; i != nil {
		out.Spec.Identity = v1beta1.Subject{Kind: string(i.Kind), Name: i.Name, APIGroup: i.APIGroup, Namespace: i.Namespace}
	}
	return out
}

// ToMember decodes the registration of a member, with all labels and annotations.
func ToMember(m v1beta1.MemberCluster) member.Spec {
	out := member.Spec{
		Name: m.Name, Labels: maps.Clone(m.Labels), Annotations: maps.Clone(m.Annotations),
		HeartbeatPeriodSeconds: m.Spec.HeartbeatPeriodSeconds,
		Taints: each(m.Spec.Taints, func(t v1beta1.Taint) member.Taint {
			return member.Taint{Key: t.Key, Value: t.Value, Effect: placement.TaintEffect(t.Effect)}
		}),
		DeleteOptions: maybe(m.Spec.DeleteOptions, func(d v1beta1.DeleteOptions) member.DeleteOptions {
			return member.DeleteOptions{ValidationMode: member.ValidationMode(d.ValidationMode)}
		}),
	}
	if i := m.Spec.Identity; i != (v1beta1.Subject{}) {
		out.Identity = &member.Identity{Kind: member.IdentityKind(i.Kind), Name: i.Name, APIGroup: i.APIGroup, Namespace: i.Namespace}
	}
	return out
}

// MemberStatus decodes the status of a member.
func MemberStatus(s v1beta1.MemberClusterStatus) member.Status {
	out := member.Status{
		Conditions: memberConditions(s.Conditions),
		AgentStatus: each(s.AgentStatus, func(a v1beta1.AgentStatus) member.AgentStatus {
			return member.AgentStatus{Type: a.Type, Conditions: memberConditions(a.Conditions), LastReceivedHeartbeat: timestamp(a.LastReceivedHeartbeat)}
		}),
		Usage: member.ResourceUsage{
			Capacity: quantities(s.ResourceUsage.Capacity), Allocatable: quantities(s.ResourceUsage.Allocatable),
			Available: quantities(s.ResourceUsage.Available),
		},
	}
	if s.Properties != nil {
		out.Properties = map[string]string{}
		for name, property := range s.Properties {
			out.Properties[name] = property.Value
		}
	}
	return out
}

func memberConditions(in []metav1.Condition) []member.Condition {
	return each(in, func(c metav1.Condition) member.Condition {
		return member.Condition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message, ObservedGeneration: c.ObservedGeneration,
		}
	})
}

func quantities(in map[string]resource.Quantity) map[string]string {
	if in == nil {
		return nil
	}
	out := make(map[string]string, len(in))
	for _, name := range slices.Sorted(maps.Keys(in)) {
		quantity := in[name]
		out[name] = quantity.String()
	}
	return out
}

// timestamp formats a time in RFC 3339 and UTC; "" for the zero time.
func timestamp(t metav1.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
