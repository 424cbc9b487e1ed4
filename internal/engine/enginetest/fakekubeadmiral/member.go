package fakekubeadmiral

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// member makes a member join or leave.
func (h *Host) member(ctx context.Context, m v1alpha1.FederatedCluster) error {
	u, err := codec.Encode(m, v1alpha1.GroupVersion.WithKind(v1alpha1.FederatedClusterKind))
	if err != nil {
		return err
	}
	on, err := h.set.Member(m.Name)
	if err != nil {
		return nil //nolint:nilerr // a member of another test
	}
	if m.DeletionTimestamp != nil {
		return h.leave(ctx, on, m)
	}
	wanted := []string{v1alpha1.ClusterFinalizer, v1alpha1.CascadingDeleteFinalizer}
	if !has(m.Finalizers, wanted[0]) || !has(m.Finalizers, wanted[1]) {
		return patch(ctx, h.set.Hub, u, "", finalizers(append(without(m.Finalizers, wanted...), wanted...)))
	}
	next, err := h.joined(ctx, on, m)
	if err != nil || reflect.DeepEqual(next.Status, m.Status) {
		return err
	}
	fields, err := tree(next.Status)
	if err != nil {
		return err
	}
	return patch(ctx, h.set.Hub, u, "status", map[string]any{"status": fields})
}

// joined returns a member with its new status.
func (h *Host) joined(ctx context.Context, on *kube.Cluster, m v1alpha1.FederatedCluster) (v1alpha1.FederatedCluster, error) {
	m.Status.Conditions = slices.Clone(m.Status.Conditions)
	if c := convert.Condition(m, v1alpha1.ConditionJoined); c != nil && c.Reason == v1alpha1.ReasonClusterUnjoinable {
		return m, nil // the reason is final
	}
	found, err := on.Get(kube.ReadUnshared(ctx), namespaceKind, "", v1alpha1.SystemNamespace)
	switch {
	case kube.IsNotFound(err):
		_, err = on.Create(ctx, namespace(v1alpha1.SystemNamespace, map[string]string{v1alpha1.ClusterUIDAnnotation: string(m.UID)}), kube.WriteOptions{FieldManager: Manager})
		m.Status.JoinPerformed = true
	case err == nil && found.GetAnnotations()[v1alpha1.ClusterUIDAnnotation] != string(m.UID):
		set(&m, v1alpha1.ConditionJoined, "False", v1alpha1.ReasonClusterUnjoinable, "The cluster is unjoinable (check if the cluster is already joined to another federation)")
		return m, nil
	}
	if err != nil {
		return m, err
	}
	set(&m, v1alpha1.ConditionJoined, "True", "ClusterJoined", "The cluster has joined the federation")
	if h.isPaused(m.Name) {
		set(&m, v1alpha1.ConditionReady, "Unknown", "ClusterNotReachable", "The cluster is not reachable")
		return m, nil
	}
	ready := convert.Is(m, v1alpha1.ConditionReady)
	set(&m, v1alpha1.ConditionReady, "True", "ClusterReady", "Cluster is ready")
	if ready && !h.measures(m.Name) {
		return m, nil
	}
	on.ResetDiscovery()
	if err := h.measure(ctx, on, &m); err != nil {
		return m, err
	}
	return m, nil
}

// measures reports whether it is time to read a member's served kinds again.
func (h *Host) measures(member string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	due := time.Since(h.measured[member]) >= serves
	if due {
		h.measured[member] = time.Now()
	}
	return due
}

// measure reads the kinds that a member serves, and its nodes' resources when it joins.
func (h *Host) measure(ctx context.Context, on *kube.Cluster, m *v1alpha1.FederatedCluster) error {
	kinds, err := on.Kinds(ctx)
	if err != nil {
		return err
	}
	m.Status.APIResourceTypes = nil
	for _, k := range kinds {
		scope := cluster
		if k.Namespaced {
			scope = namespaced
		}
		for _, served := range k.Versions {
			m.Status.APIResourceTypes = append(m.Status.APIResourceTypes, v1alpha1.APIResource{
				Group: k.Group, Version: served, Kind: k.Kind, PluralName: k.Resource, Scope: scope,
			})
		}
	}
	slices.SortFunc(m.Status.APIResourceTypes, func(a, b v1alpha1.APIResource) int {
		return strings.Compare(a.Group+" "+a.Kind+" "+a.Version, b.Group+" "+b.Kind+" "+b.Version)
	})
	if m.Status.Resources.SchedulableNodes != nil {
		return nil
	}
	_, usage, err := clusterset.Measure(ctx, on)
	m.Status.Resources = v1alpha1.Resources{SchedulableNodes: new(int64(1)), Allocatable: quantities(usage.Allocatable), Available: quantities(usage.Available)}
	return err
}

func quantities(in map[string]string) map[string]resource.Quantity {
	out := map[string]resource.Quantity{}
	for name, text := range in {
		if q, err := resource.ParseQuantity(text); err == nil {
			out[name] = q
		}
	}
	return out
}

func set(m *v1alpha1.FederatedCluster, conditionType, status, reason, message string) {
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	if c := convert.Condition(*m, conditionType); c != nil {
		if c.Status == status && c.Reason == reason {
			return
		}
		if c.Status != status {
			c.LastTransitionTime = now
		}
		c.Status, c.Reason, c.Message = status, reason, message
		return
	}
	m.Status.Conditions = append(m.Status.Conditions, v1alpha1.ClusterCondition{
		Type: conditionType, Status: status, Reason: reason, Message: message, LastProbeTime: now, LastTransitionTime: now,
	})
}

// leave ends a membership: it deletes the control plane's namespace from the member, and keeps the placed objects.
func (h *Host) leave(ctx context.Context, on *kube.Cluster, m v1alpha1.FederatedCluster) error {
	u, err := codec.Encode(m, v1alpha1.GroupVersion.WithKind(v1alpha1.FederatedClusterKind))
	if err != nil {
		return err
	}
	if m.Status.JoinPerformed {
		found, err := on.Get(kube.ReadUnshared(ctx), namespaceKind, "", v1alpha1.SystemNamespace)
		if err == nil && found.GetAnnotations()[v1alpha1.ClusterUIDAnnotation] == string(m.UID) {
			err = on.Delete(ctx, kube.RefOf(found), found.GetUID(), metav1.DeletePropagationBackground)
		}
		if err != nil && !kube.IsNotFound(err) {
			return err
		}
	}
	return patch(ctx, h.set.Hub, u, "", finalizers(without(m.Finalizers, v1alpha1.ClusterFinalizer, v1alpha1.CascadingDeleteFinalizer)))
}
