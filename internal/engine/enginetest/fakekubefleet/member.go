package fakekubefleet

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	// SystemNamespace is the hub's namespace for objects of the fleet.
	SystemNamespace = "fleet-system"

	memberFinalizer = "kubernetes-fleet.io/membercluster-finalizer"
	maxNamespace    = 63
)

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

func namespaceOf(member string) string { return hub.MemberNamespacePrefix + member }

func namespace(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(namespaceKind)
	u.SetName(name)
	return u
}

// member makes a member join, updates its status, and makes it leave.
func (h *Hub) member(ctx context.Context, v *view, m api.MemberCluster) (wrote bool, err error) {
	switch {
	case m.DeletionTimestamp != nil:
		return h.leave(ctx, v, m)
	case len(namespaceOf(m.Name)) > maxNamespace:
		return false, nil // the hub agent retries the namespace forever and reports nothing
	case !slices.Contains(m.Finalizers, memberFinalizer) || m.Labels[override.MemberNameLabel] == "":
		fields := finalizers(append(slices.Clone(m.Finalizers), memberFinalizer)...)
		if err := unstructured.SetNestedField(fields, m.Name, "metadata", "labels", override.MemberNameLabel); err != nil {
			return false, err
		}
		return true, h.patch(ctx, hub.MemberCluster, "", m.Name, "", fields)
	}
	if len(m.Status.Conditions) == 0 {
		u := namespace(namespaceOf(m.Name))
		u.SetLabels(map[string]string{"kubernetes-fleet.io/is-fleet-resource": "true"})
		if _, err := h.set.Hub.Create(ctx, u, kube.WriteOptions{FieldManager: Manager}); err != nil && !kube.IsAlreadyExists(err) {
			return false, err
		}
	}
	return h.report(ctx, m)
}

// report writes a member's status, for the hub and for the member agent, if a heartbeat is due.
func (h *Hub) report(ctx context.Context, m api.MemberCluster) (wrote bool, err error) {
	now := metav1.Now()
	status := m.Status
	status.Conditions = with(status.Conditions, metav1.Condition{
		Type: "ReadyToJoin", Status: "True", Reason: "MemberClusterReadyToJoin", Message: "Member cluster is ready to join the fleet",
	}, m.Generation, now)
	if !h.set.Has(m.Name) || h.isPaused(m.Name) {
		if m.Status.Conditions != nil {
			return false, nil
		}
		return true, h.writeMember(ctx, m.Name, status)
	}
	var agent api.AgentStatus
	if len(status.AgentStatus) > 0 {
		agent = status.AgentStatus[0]
	}
	current := !slices.ContainsFunc(m.Status.Conditions, func(c metav1.Condition) bool { return c.ObservedGeneration != m.Generation })
	if current && time.Since(agent.LastReceivedHeartbeat.Time) < heartbeat(m) {
		return false, nil
	}
	agent.Type, agent.LastReceivedHeartbeat = "MemberAgent", now
	agent.Conditions = with(agent.Conditions, metav1.Condition{Type: "Healthy", Status: "True", Reason: "InternalMemberClusterHealthy"}, m.Generation, now)
	agent.Conditions = with(agent.Conditions, metav1.Condition{Type: "Joined", Status: "True", Reason: "InternalMemberClusterJoined"}, m.Generation, now)
	status.AgentStatus = []api.AgentStatus{agent}
	status.Conditions = with(status.Conditions, metav1.Condition{
		Type: "Joined", Status: "True", Reason: "MemberClusterJoined", Message: "Member cluster has successfully joined the fleet",
	}, m.Generation, now)
	if err := h.measure(ctx, m.Name, &status, now); err != nil {
		return false, err
	}
	return true, h.writeMember(ctx, m.Name, status)
}

// heartbeat returns the interval of an agent's reports, which is half the required heartbeat period.
func heartbeat(m api.MemberCluster) time.Duration {
	seconds := int32(60)
	if s := m.Spec.HeartbeatPeriodSeconds; s != nil {
		seconds = *s
	}
	return time.Duration(seconds) * time.Second / 2
}

func (h *Hub) measure(ctx context.Context, name string, status *api.MemberClusterStatus, now metav1.Time) error {
	cluster, err := h.set.Member(name)
	if err != nil {
		return err
	}
	properties, usage, err := clusterset.Measure(ctx, cluster)
	if err != nil {
		return err
	}
	status.Properties = map[string]api.PropertyValue{}
	for key, value := range properties {
		status.Properties[key] = api.PropertyValue{Value: value, ObservationTime: now}
	}
	status.ResourceUsage = api.ResourceUsage{
		Capacity: quantities(usage.Capacity), Allocatable: quantities(usage.Allocatable), Available: quantities(usage.Available), ObservationTime: now,
	}
	return nil
}

func quantities(texts map[string]string) map[string]resource.Quantity {
	out := map[string]resource.Quantity{}
	for name, text := range texts {
		out[name] = resource.MustParse(text)
	}
	return out
}

func (h *Hub) writeMember(ctx context.Context, name string, status api.MemberClusterStatus) error {
	content, err := fields(status)
	if err != nil {
		return err
	}
	return h.patch(ctx, hub.MemberCluster, "", name, "status", map[string]any{"status": content})
}

// leave removes a member's finalizer once its namespace is deleted. Placed objects stay on the member.
func (h *Hub) leave(ctx context.Context, v *view, m api.MemberCluster) (wrote bool, err error) {
	if !slices.Contains(m.Finalizers, memberFinalizer) {
		return false, nil
	}
	live, err := h.set.Hub.Get(ctx, namespaceKind, "", namespaceOf(m.Name))
	if kube.IsNotFound(err) {
		return true, h.patch(ctx, hub.MemberCluster, "", m.Name, "", finalizers(without(m.Finalizers, memberFinalizer)...))
	}
	if err != nil {
		return false, err
	}
	for _, w := range v.works {
		if w.Namespace == live.GetName() && len(w.Finalizers) > 0 {
			if err := h.patch(ctx, hub.Work, w.Namespace, w.Name, "", finalizers()); err != nil {
				return false, err
			}
		}
	}
	if live.GetDeletionTimestamp() != nil {
		return false, nil
	}
	return true, h.set.Hub.Delete(ctx, kube.RefOf(live), live.GetUID(), "")
}

// with returns a list of conditions in which c replaces the condition of the same type, or is added.
func with(list []metav1.Condition, c metav1.Condition, generation int64, now metav1.Time) []metav1.Condition {
	out := slices.Clone(list)
	c.ObservedGeneration, c.LastTransitionTime = generation, now
	i := slices.IndexFunc(out, func(other metav1.Condition) bool { return other.Type == c.Type })
	if i < 0 {
		return append(out, c)
	}
	if out[i].Status == c.Status {
		c.LastTransitionTime = out[i].LastTransitionTime
	}
	out[i] = c
	return out
}

// labelsOf returns a member's labels for overrides and policies.
func labelsOf(m api.MemberCluster) map[string]string { return maps.Clone(m.Labels) }
