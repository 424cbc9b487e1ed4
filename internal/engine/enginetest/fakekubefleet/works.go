package fakekubefleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

const workFinalizer = "kubernetes-fleet.io/work-cleanup"

// manifests returns objects in embedded form. It removes a null creation time, which an API server drops: otherwise the embedded objects would always differ.
func manifests(objects []manifest.Object) ([]wire.EmbeddedManifest, error) {
	out := make([]wire.EmbeddedManifest, 0, len(objects))
	for _, o := range objects {
		content := o.Content.Object
		if at, found, _ := unstructured.NestedFieldNoCopy(content, "metadata", "creationTimestamp"); found && at == nil {
			content = o.Content.DeepCopy().Object
			unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
		}
		data, err := json.Marshal(content)
		if err != nil {
			return nil, err
		}
		out = append(out, wire.EmbeddedManifest{RawExtension: runtime.RawExtension{Raw: data}})
	}
	return out, nil
}

// works writes the Works of every cluster that the rollout has reached with the latest content and overrides. On other clusters, the content of the Works
// remains unchanged. Before that, it writes the apply strategy to all existing Works, including those of a cluster that the placement leaves (KubeFleet,
// pkg/controllers/workgenerator: syncAllWork).
func (h *Hub) works(ctx context.Context, l *round) (wrote bool, err error) {
	for _, b := range l.bindings {
		if b.DeletionTimestamp != nil || b.Spec.State == wire.BindingStateScheduled || !l.has(b.Spec.TargetCluster) {
			continue
		}
		have := l.worksOf(l.of(), b.Spec.TargetCluster)
		done, err := h.updateApplyStrategy(ctx, b, have)
		if wrote = wrote || done; err != nil {
			return wrote, err
		}
		if done {
			h.call(b.Spec.TargetCluster)
		}
		if done || b.Spec.State != wire.BindingStateBound || !l.current(b) {
			continue
		}
		want, _, err := l.worksFor(b.Spec.TargetCluster)
		if err != nil {
			continue // the status reports it
		}
		if done, err = h.syncWorks(ctx, b, have, want); err != nil {
			return wrote, err
		}
		if done {
			h.call(b.Spec.TargetCluster)
		}
		wrote = wrote || done
	}
	return wrote, nil
}

// updateApplyStrategy writes the apply strategy to Works.
func (h *Hub) updateApplyStrategy(ctx context.Context, b wire.ClusterResourceBinding, works []wire.Work) (wrote bool, err error) {
	if b.Spec.ApplyStrategy == nil {
		return false, nil
	}
	how, err := fields(b.Spec.ApplyStrategy, "allowCoOwnership", "serverSideApplyConfig")
	if err != nil {
		return false, err
	}
	for _, w := range works {
		if w.DeletionTimestamp != nil || sameWork(w.Spec, wire.WorkSpec{Workload: w.Spec.Workload, ApplyStrategy: b.Spec.ApplyStrategy}) {
			continue
		}
		wrote = true
		if err := h.patch(ctx, hub.Work, w.Namespace, w.Name, "", map[string]any{"spec": map[string]any{"applyStrategy": how}}); err != nil {
			return wrote, err
		}
	}
	return wrote, nil
}

func (h *Hub) syncWorks(ctx context.Context, b wire.ClusterResourceBinding, have, want []wire.Work) (wrote bool, err error) {
	for _, w := range want {
		w.Spec.ApplyStrategy = b.Spec.ApplyStrategy
		i := slices.IndexFunc(have, func(other wire.Work) bool { return other.Name == w.Name })
		switch {
		case i < 0:
			wrote, err = true, h.create(ctx, hub.Work, w)
		case have[i].DeletionTimestamp != nil: // it is recreated after the deletion
		case !sameWork(have[i].Spec, w.Spec):
			content, encodeErr := fields(w.Spec.Workload, "manifests")
			if encodeErr != nil {
				return wrote, encodeErr
			}
			wrote, err = true, h.patch(ctx, hub.Work, w.Namespace, w.Name, "", map[string]any{"spec": map[string]any{"workload": content}})
		}
		if err != nil {
			return wrote, err
		}
	}
	for _, w := range have {
		if w.DeletionTimestamp == nil && !slices.ContainsFunc(want, func(other wire.Work) bool { return other.Name == w.Name }) {
			wrote = true
			if err := h.remove(ctx, hub.Work, w.Namespace, w.Name, w.UID); err != nil {
				return wrote, err
			}
		}
	}
	return wrote, nil
}

// isSynchronized reports whether the Works of a cluster have the latest content. As long as they do not, the reports of the cluster's agent are about older
// content (KubeFleet uses the generation of the binding in the conditions). isSynchronized also returns true if the rollout has not reached the cluster, or if
// the latest content cannot be determined.
func (l *round) isSynchronized(b wire.ClusterResourceBinding) bool {
	if !l.current(b) {
		return true
	}
	want, _, err := l.worksFor(b.Spec.TargetCluster)
	have := l.worksOf(l.of(), b.Spec.TargetCluster)
	return err != nil || !slices.ContainsFunc(want, func(w wire.Work) bool {
		return !slices.ContainsFunc(have, func(other wire.Work) bool {
			return other.Name == w.Name && sameWork(other.Spec, wire.WorkSpec{Workload: w.Spec.Workload, ApplyStrategy: other.Spec.ApplyStrategy})
		})
	})
}

func sameWork(a, b wire.WorkSpec) bool {
	left, leftErr := canonical(a)
	right, rightErr := canonical(b)
	return leftErr == nil && rightErr == nil && bytes.Equal(left, right)
}

// canonical returns the JSON of a value with sorted keys.
func canonical(value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// has reports whether a member exists and is not being deleted.
func (v *view) has(member string) bool {
	return slices.ContainsFunc(v.members, func(m api.MemberCluster) bool { return m.Name == member && m.DeletionTimestamp == nil })
}

// worksFor returns the Works of the latest content for a member, and the overrides that apply to it.
func (l *round) worksFor(name string) ([]wire.Work, []override.Reference, error) {
	objects, applied, err := l.mind.content.Localize(l.of().String(), l.target(name), l.seen.Overrides)
	if err != nil {
		return nil, nil, err
	}
	main := l.work(name, strings.ReplaceAll(l.of().String(), "/", ".")+"-work", nil)
	groups := map[string][]manifest.Object{main.Name: nil}
	works := []wire.Work{main}
	for _, o := range objects {
		if o.Envelope == nil {
			groups[main.Name] = append(groups[main.Name], o.Object.Object)
			continue
		}
		w := l.work(name, envelopeWorkName(main.Name, *o.Envelope), o.Envelope)
		if _, found := groups[w.Name]; !found {
			works = append(works, w)
		}
		groups[w.Name] = append(groups[w.Name], o.Object.Object)
	}
	for i := range works {
		if len(groups[works[i].Name]) == 0 {
			continue // Manifests remains nil, as in a Work without manifests that is read from an API server
		}
		if works[i].Spec.Workload.Manifests, err = manifests(groups[works[i].Name]); err != nil {
			return nil, nil, err
		}
	}
	return works, applied, nil
}

func envelopeWorkName(prefix string, e manifest.Envelope) string {
	sum := sha256.Sum256([]byte(e.Type + "/" + e.Namespace + "/" + e.Name))
	return prefix + "-envelope-" + hex.EncodeToString(sum[:8])
}

func (l *round) work(member, name string, in *manifest.Envelope) wire.Work {
	out := wire.Work{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespaceOf(member), Name: name, Labels: map[string]string{wire.PlacementLabel: l.crp.Name}, Finalizers: []string{workFinalizer},
		},
		Spec: wire.WorkSpec{ApplyStrategy: l.crp.Spec.Strategy.ApplyStrategy},
	}
	if l.crp.Namespace != "" {
		out.Labels[wire.PlacementNamespaceLabel] = l.crp.Namespace
	}
	if in != nil {
		out.Labels[wire.EnvelopeTypeLabel], out.Labels[wire.EnvelopeNameLabel] = in.Type, in.Name
		if in.Namespace != "" {
			out.Labels[wire.EnvelopeNamespaceLabel] = in.Namespace
		}
	}
	return out
}

// unbind removes the Works of a binding that is being deleted, and the binding once the Works are deleted.
func (h *Hub) unbind(ctx context.Context, v *view, b wire.ClusterResourceBinding) (wrote bool, err error) {
	of := ownerOf(b)
	left := v.worksOf(of, b.Spec.TargetCluster)
	if len(left) == 0 && slices.Contains(b.Finalizers, bindingFinalizer) {
		return true, h.patch(ctx, hub.KindsOf(of).Binding, b.Namespace, b.Name, "", finalizers())
	}
	for _, w := range left {
		if w.DeletionTimestamp == nil {
			wrote = true
			if err := h.remove(ctx, hub.Work, w.Namespace, w.Name, w.UID); err != nil {
				return wrote, err
			}
		}
	}
	if wrote {
		h.call(b.Spec.TargetCluster)
	}
	return wrote, nil
}
