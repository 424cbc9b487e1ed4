package dispatch

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// FieldManager is the control plane's field manager.
const FieldManager = "kubeadmiral-controller-manager"

var _ memberpreview.Writer = (*Writer)(nil)

// Writer writes objects in the same way as the control plane. Previews use it for dry runs only.
type Writer struct {
	Cluster *kube.Cluster
	// Generations are the generations of the objects on the host.
	Generations map[manifest.Key]int64
	// KeepsReplicas are the objects whose spec.replicas on the member is kept.
	KeepsReplicas map[manifest.Key]bool
}

// Write makes one attempt to write the object. In the result of a dry run, the labels and annotations of the control plane are those of the live object, so
// that previews do not show changes of these labels and annotations. Without a live object, the result does not have them.
func (w *Writer) Write(ctx context.Context, o *memberpreview.Object, _ takeover.Action, dryRun bool) (*unstructured.Unstructured, error) {
	result, err := w.write(ctx, o, dryRun)
	if err != nil || !dryRun {
		return result, err
	}
	return convert.Unmarked(result, o.Live), nil
}

// Changes returns set, the differences in fields that the desired object sets. [Writer.Compare] also finds the other fields that a replacement changes.
func (*Writer) Changes(_ diff.Schema, _ *memberpreview.Object, _ takeover.Action, set []diff.Difference) []diff.Difference {
	return set
}

// LastApplied returns nil, because the control plane does not store the configuration that it last applied.
func (*Writer) LastApplied(*unstructured.Unstructured) *unstructured.Unstructured { return nil }

// Removals returns no fields, because [Writer.Compare] finds all fields that a replacement removes. isWhole is therefore true.
func (*Writer) Removals(diff.Schema, *memberpreview.Object, takeover.Action) (removals []diff.Difference, isWhole bool) {
	return nil, true
}

// Conflicts returns nil, because a replacement overwrites the fields of other field managers without a conflict.
func (*Writer) Conflicts(diff.Schema, *memberpreview.Object, takeover.Action) []diff.Conflict {
	return nil
}

func (w *Writer) write(ctx context.Context, o *memberpreview.Object, dryRun bool) (*unstructured.Unstructured, error) {
	options := kube.WriteOptions{FieldManager: FieldManager, DryRun: dryRun}
	desired := w.outgoing(o)
	if o.Live == nil {
		return w.Cluster.Create(ctx, desired, options)
	}
	return w.Cluster.Update(ctx, desired, options)
}

// outgoing returns the object as the control plane sends it to the member.
func (w *Writer) outgoing(o *memberpreview.Object) *unstructured.Unstructured {
	desired := o.Desired.DeepCopy()
	convert.Mark(desired, w.Generations[o.Key()])
	if o.Live == nil {
		return desired
	}
	convert.Retain(desired, o.Live)
	if w.KeepsReplicas[o.Key()] {
		if replicas, found, _ := unstructured.NestedFieldCopy(o.Live.Object, "spec", "replicas"); found {
			_ = unstructured.SetNestedField(desired.Object, replicas, "spec", "replicas")
		}
	}
	desired.SetUID(o.Live.GetUID())
	return desired
}

// Replacement is the effect of replacing an existing object.
type Replacement struct {
	// Differences are the fields that change, including fields that only the member has.
	Differences []diff.Difference
	// Counted are the differences that prevent a takeover under IfNoDiff.
	Counted []diff.Difference
	// Restart is the effect on the Pods of a workload.
	Restart workload.Restart
}

// Replace determines with a dry run which fields the replacement of an object changes. The generation does not show this, because a change of annotations
// raises the generation of a Deployment. If the dry run fails, Replace compares the live object with the object that would be sent. The defaults of the
// object that would be sent come from the host, and are usually the same as on the member. Replace returns an error only if the member is unavailable or the
// object does not exist.
func (w *Writer) Replace(ctx context.Context, schema diff.Schema, o *memberpreview.Object) (*Replacement, error) {
	result, o, err := w.rehearse(ctx, o)
	switch {
	case clusterset.IsUnavailable(err) || kube.IsNotFound(err):
		return nil, err
	case err != nil:
		return w.Compare(schema, o), nil //nolint:nilerr // see above
	}
	return replacement(schema, o, result), nil
}

// Compare is like [Writer.Replace], but without a dry run. The object must already have the defaults of the host's API server.
func (w *Writer) Compare(schema diff.Schema, o *memberpreview.Object) *Replacement {
	return replacement(schema, o, convert.Unmarked(w.outgoing(o), o.Live))
}

func replacement(schema diff.Schema, o *memberpreview.Object, result *unstructured.Unstructured) *Replacement {
	compared := diff.Written(schema, result, o.Live)
	out := &Replacement{Differences: compared.All(), Counted: compared.Differences}
	if workload.RollsOut(o.GroupVersionKind().GroupKind()) {
		out.Restart = workload.RestartOf(o.Live, result, out.Differences)
	}
	return out
}

// rehearse makes a dry run of the write. It returns the result, and a copy of o with the live object on which the dry run was based. If the object has
// changed since it was read, rehearse reads it again.
func (w *Writer) rehearse(ctx context.Context, o *memberpreview.Object) (*unstructured.Unstructured, *memberpreview.Object, error) {
	now := *o
	result, err := controlplane.RepeatConflicts(func(attempt int) (_ *unstructured.Unstructured, err error) {
		if attempt > 1 {
			live, err := w.Cluster.Get(kube.ReadUnshared(ctx), o.GroupVersionKind(), o.Namespace, o.Name)
			if err != nil {
				return nil, err
			}
			now.Live = live
		}
		return w.Write(ctx, &now, takeover.ActionTakeOver, true)
	})
	return result, &now, err
}
