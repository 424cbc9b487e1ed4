package fakekubefleet

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const resourceHashAnnotation = "kubernetes-fleet.io/resource-hash"

// snapshotPolicy updates the policy snapshot. The number of clusters is not part of the policy's hash.
func (h *Hub) snapshotPolicy(ctx context.Context, l *round) (wrote bool, err error) {
	kind, hash := hub.KindsOf(l.of()).PolicySnapshot, []byte(l.spec.PolicyHash())
	number := ""
	if n := l.spec.Policy.NumberOfClusters; n != nil {
		number = strconv.Itoa(int(*n))
	}
	index := 0
	for _, s := range l.policies {
		if !belongs(s.ObjectMeta, l.of()) || s.DeletionTimestamp != nil {
			continue
		}
		if n, _ := strconv.Atoi(s.Labels[wire.PolicyIndexLabel]); n >= index {
			index = n + 1
		}
		switch {
		case s.Labels[wire.LatestSnapshotLabel] != "true":
		case !bytes.Equal(s.Spec.PolicyHash, hash):
			if err := h.outdate(ctx, kind, s.Namespace, s.Name); err != nil {
				return false, err
			}
		case s.Annotations[wire.NumberOfClustersAnnotation] != number || s.Annotations[wire.GenerationAnnotation] != generation(l):
			l.policy = s.Name
			return true, h.patch(ctx, kind, s.Namespace, s.Name, "", map[string]any{"metadata": map[string]any{
				"annotations": annotations(l, number),
			}})
		default:
			l.policy = s.Name
			return false, nil
		}
	}
	policy := *l.crp.Spec.Policy
	policy.NumberOfClusters = nil
	snapshot := wire.ClusterSchedulingPolicySnapshot{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: l.crp.Namespace, Name: fmt.Sprintf("%s-%d", l.crp.Name, index),
			Labels: map[string]string{
				wire.PlacementLabel: l.crp.Name, wire.LatestSnapshotLabel: "true", wire.PolicyIndexLabel: strconv.Itoa(index),
			},
			Annotations: map[string]string{},
		},
		Spec: wire.SchedulingPolicySnapshotSpec{Policy: &policy, PolicyHash: hash},
	}
	for key, value := range annotations(l, number) {
		if text, is := value.(string); is {
			snapshot.Annotations[key] = text
		}
	}
	l.policy = snapshot.Name
	return true, h.create(ctx, kind, snapshot)
}

func generation(l *round) string { return strconv.FormatInt(l.crp.Generation, 10) }

func annotations(l *round, number string) map[string]any {
	out := map[string]any{wire.GenerationAnnotation: generation(l), wire.NumberOfClustersAnnotation: nil}
	if number != "" {
		out[wire.NumberOfClustersAnnotation] = number
	}
	return out
}

// snapshotContent updates the snapshot of the placed content.
func (h *Hub) snapshotContent(ctx context.Context, l *round) (wrote bool, err error) {
	return h.snapshot(ctx, l, l.spec.Strategy.Type != placement.ExternalStrategy) // for External, an update run creates it
}

// snapshot finds the snapshot of the placed content, and creates it if requested.
func (h *Hub) snapshot(ctx context.Context, l *round, create bool) (wrote bool, err error) {
	kind := hub.KindsOf(l.of()).ResourceSnapshot
	hash, index := l.mind.content.ClosedHash(), 0
	for _, s := range l.contents {
		if !belongs(s.ObjectMeta, l.of()) || s.DeletionTimestamp != nil {
			continue
		}
		if n, _ := strconv.Atoi(s.Labels[wire.ResourceIndexLabel]); n >= index {
			index = n + 1
		}
		if s.Labels[wire.LatestSnapshotLabel] != "true" {
			continue
		}
		if s.Annotations[resourceHashAnnotation] == hash {
			l.content, l.index = s.Name, s.Labels[wire.ResourceIndexLabel]
			return false, nil
		}
		if !create {
			continue
		}
		if err := h.outdate(ctx, kind, s.Namespace, s.Name); err != nil {
			return false, err
		}
	}
	if !create {
		return false, nil
	}
	selected, err := manifests(l.mind.content.Closed())
	if err != nil {
		return false, err
	}
	l.content, l.index = fmt.Sprintf("%s-%d-snapshot", l.crp.Name, index), strconv.Itoa(index)
	return true, h.create(ctx, kind, wire.ClusterResourceSnapshot{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: l.crp.Namespace, Name: l.content,
			Labels: map[string]string{
				wire.PlacementLabel: l.crp.Name, wire.LatestSnapshotLabel: "true", wire.ResourceIndexLabel: l.index,
			},
			Annotations: map[string]string{resourceHashAnnotation: hash, wire.NumberOfSnapshotsAnnotation: "1"},
		},
		Spec: wire.ResourceSnapshotSpec{SelectedResources: selected},
	})
}
