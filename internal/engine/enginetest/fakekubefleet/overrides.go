package fakekubefleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// snapshotOverrides updates the override snapshots, which the rollout uses (KubeFleet, pkg/controllers/overrider). It deletes the snapshots of deleted
// overrides.
func (h *Hub) snapshotOverrides(ctx context.Context, v *view) (wrote bool, err error) {
	for _, o := range v.finalized {
		done, err := h.finalizeOverride(ctx, o)
		if wrote = wrote || done; err != nil {
			return wrote, err
		}
	}
	written, kept := v.written.Specs(), v.overrides.Specs()
	for reference, spec := range written {
		if was, found := kept[reference]; found && override.Same(was, spec) {
			continue
		}
		wrote = true
		if err := h.snapshotOverride(ctx, reference, spec, v.overrides.Names[reference]); err != nil {
			return wrote, err
		}
	}
	for reference := range kept {
		if _, found := written[reference]; !found {
			wrote = true
			if err := h.dropOverride(ctx, reference); err != nil {
				return wrote, err
			}
		}
	}
	return wrote, nil
}

// snapshotOverride creates the latest snapshot of an override. before is the name of the snapshot that was the latest one, or "" if there is none.
func (h *Hub) snapshotOverride(ctx context.Context, of override.Reference, spec any, before string) error {
	kind, index := hub.ClusterOverrideSnapshot, 0
	if of.Namespace != "" {
		kind = hub.OverrideSnapshot
	}
	if before != "" {
		index, _ = strconv.Atoi(strings.TrimPrefix(before, of.Name+"-"))
		index++
		if err := h.outdate(ctx, kind, of.Namespace, before); err != nil {
			return err
		}
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(data)
	meta := metav1.ObjectMeta{Namespace: of.Namespace, Name: fmt.Sprintf("%s-%d", of.Name, index), Labels: map[string]string{
		wire.OverrideLabel: of.Name, wire.OverrideIndexLabel: strconv.Itoa(index), wire.LatestSnapshotLabel: "true",
	}}
	switch spec := spec.(type) {
	case override.ClusterSpec:
		return h.create(ctx, kind, wire.ClusterResourceOverrideSnapshot{ObjectMeta: meta, Spec: wire.ClusterResourceOverrideSnapshotSpec{
			OverrideSpec: convert.FromClusterOverride(spec), OverrideHash: hash[:],
		}})
	case override.Spec:
		return h.create(ctx, kind, wire.ResourceOverrideSnapshot{ObjectMeta: meta, Spec: wire.ResourceOverrideSnapshotSpec{
			OverrideSpec: convert.FromOverride(spec), OverrideHash: hash[:],
		}})
	}
	return nil
}

const overrideFinalizer = "kubernetes-fleet.io/override-cleanup"

// finalized is the kind and the metadata of an override, with its finalizers.
type finalized struct {
	kind schema.GroupKind
	metav1.ObjectMeta
}

// readOverrides reads all overrides into finalized, and those that are not being deleted into written.
func (v *view) readOverrides(ctx context.Context, cluster *kube.Cluster) error {
	ofCluster, err := ifServed(hub.List[wire.ClusterResourceOverride](ctx, cluster, hub.ClusterOverride, "", ""))
	if err != nil {
		return err
	}
	for _, o := range ofCluster {
		v.finalized = append(v.finalized, finalized{hub.ClusterOverride, o.ObjectMeta})
		if o.DeletionTimestamp == nil {
			v.written.Cluster = append(v.written.Cluster, override.ClusterResourceOverride{Name: o.Name, Spec: convert.ToClusterOverride(o.Spec)})
		}
	}
	namespaced, err := ifServed(hub.List[wire.ResourceOverride](ctx, cluster, hub.Override, "", ""))
	for _, o := range namespaced {
		v.finalized = append(v.finalized, finalized{hub.Override, o.ObjectMeta})
		if o.DeletionTimestamp == nil {
			v.written.Namespaced = append(v.written.Namespaced, override.ResourceOverride{Namespace: o.Namespace, Name: o.Name, Spec: convert.ToOverride(o.Spec)})
		}
	}
	return err
}

// finalizeOverride keeps an override until its snapshots are deleted.
func (h *Hub) finalizeOverride(ctx context.Context, o finalized) (wrote bool, err error) {
	switch has := slices.Contains(o.Finalizers, overrideFinalizer); {
	case o.DeletionTimestamp == nil && !has:
		return true, h.patch(ctx, o.kind, o.Namespace, o.Name, "", finalizers(append(slices.Clone(o.Finalizers), overrideFinalizer)...))
	case o.DeletionTimestamp != nil && has:
		if err := h.dropOverride(ctx, override.Reference{Namespace: o.Namespace, Name: o.Name}); err != nil {
			return true, err
		}
		return true, h.patch(ctx, o.kind, o.Namespace, o.Name, "", finalizers(without(o.Finalizers, overrideFinalizer)...))
	}
	return false, nil
}

// without returns a list of finalizers without one.
func without(list []string, finalizer string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(f string) bool { return f == finalizer })
}

// dropOverride removes the snapshots of an override.
func (h *Hub) dropOverride(ctx context.Context, of override.Reference) error {
	selector := wire.OverrideLabel + "=" + of.Name
	if of.Namespace == "" {
		all, err := hub.List[wire.ClusterResourceOverrideSnapshot](ctx, h.set.Hub, hub.ClusterOverrideSnapshot, "", selector)
		for _, s := range all {
			err = cmp.Or(err, h.remove(ctx, hub.ClusterOverrideSnapshot, "", s.Name, s.UID))
		}
		return err
	}
	all, err := hub.List[wire.ResourceOverrideSnapshot](ctx, h.set.Hub, hub.OverrideSnapshot, of.Namespace, selector)
	for _, s := range all {
		err = cmp.Or(err, h.remove(ctx, hub.OverrideSnapshot, s.Namespace, s.Name, s.UID))
	}
	return err
}

// overriding is the input that decides which overrides apply to a cluster.
type overriding struct {
	hub.OverrideSnapshots
	members []api.MemberCluster
}

func (v *view) overriding() overriding { return overriding{v.overrides, v.members} }

// seeOverrides reads the overrides and the labels of the members only if the rollout controller has a cause to process the placement. A change of labels is not
// a cause, and neither is a change of an override that names no placement (KubeFleet, pkg/controllers/rollout: SetupWithManagerForClusterResourcePlacement).
func (h *Hub) seeOverrides(_ context.Context, l *round) (wrote bool, err error) {
	if l.spec.Strategy.Type == placement.ExternalStrategy {
		return false, nil // a staged update run reads them when it starts
	}
	cause := fmt.Sprint(l.crp.Generation, l.content)
	for _, b := range l.bindings {
		spec, err := canonical(b.Spec)
		if err != nil {
			return false, err
		}
		available := meta.FindStatusCondition(b.Status.Conditions, placement.Available)
		cause += fmt.Sprint(b.Name, string(spec), b.DeletionTimestamp != nil, available)
	}
	own := l.overrides.For(l.of().String())
	for _, o := range own.Cluster {
		if o.Spec.Placement != nil {
			cause += l.overrides.Names[override.Reference{Name: o.Name}]
		}
	}
	for _, o := range own.Namespaced {
		if o.Spec.Placement != nil {
			cause += o.Namespace + "/" + l.overrides.Names[override.Reference{Namespace: o.Namespace, Name: o.Name}]
		}
	}
	if cause != l.mind.cause {
		l.mind.cause, l.mind.seen = cause, l.seen
	}
	l.seen = l.mind.seen
	return false, nil
}

// overridden are the snapshots of overrides that a cluster should have.
type overridden struct {
	cluster    []string
	namespaced []wire.NamespacedName
}

// overriddenOn determines which overrides a member should have. If it cannot determine them, it returns none, and the status says why.
func (l *round) overriddenOn(name string) overridden {
	references, err := l.mind.content.Overridden(l.of().String(), l.target(name), l.seen.Overrides)
	if err != nil {
		return overridden{}
	}
	var out overridden
	for _, reference := range references {
		snapshot := l.seen.Names[reference]
		if reference.Namespace == "" {
			out.cluster = append(out.cluster, snapshot)
		} else {
			out.namespaced = append(out.namespaced, wire.NamespacedName{Namespace: reference.Namespace, Name: snapshot})
		}
	}
	return out
}

// target returns a member as overrides see it.
func (l *round) target(name string) override.Cluster {
	out := override.Cluster{Name: name}
	for _, m := range l.seen.members {
		if m.Name == name {
			out.Labels = labelsOf(m)
		}
	}
	return out
}

// current reports whether a binding has the latest content with the latest overrides. Otherwise the rollout must reach the cluster (KubeFleet,
// pkg/controllers/rollout: pickBindingsToRoll).
func (l *round) current(b wire.ClusterResourceBinding) bool {
	return b.Spec.ResourceSnapshotName == l.content && l.overriddenOn(b.Spec.TargetCluster).of(b)
}

// of reports whether a binding has these overrides.
func (o overridden) of(b wire.ClusterResourceBinding) bool {
	return slices.Equal(o.cluster, b.Spec.ClusterResourceOverrideSnapshots) && slices.Equal(o.namespaced, b.Spec.ResourceOverrideSnapshots)
}
