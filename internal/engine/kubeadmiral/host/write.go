package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// PolicyObject returns a policy to write. Its record lists made, the objects that the provider creates for the policy.
func PolicyObject(of engine.Reference, spec v1alpha1.PropagationPolicySpec, made Made) (*unstructured.Unstructured, error) {
	out, err := codec.Encode(v1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name}, Spec: spec}, v1alpha1.GroupVersion.WithKind(PolicyKind(of.Namespace)))
	if err != nil {
		return nil, err
	}
	return out, made.record(out)
}

// Put creates an object if live is nil. Otherwise it applies the object with force, and takes conflicting fields from other field managers. It writes
// nothing if the object would not change. The response to a create can be lost: an existing object then counts as created if it is new and the provider is
// one of its field managers.
func Put(ctx context.Context, host *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return put(ctx, host, want, live, kube.ApplyOptions{Force: true, Strict: true})
}

// Amend writes an object of another system as [Put] does. If the object has changed since it was read, Amend writes nothing and returns an error for which
// [kube.IsOutdated] is true.
func Amend(ctx context.Context, host *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return put(ctx, host, want, live, kube.ApplyOptions{Force: true, Strict: true, OptimisticLock: true})
}

func put(ctx context.Context, host *kube.Cluster, want, live *unstructured.Unstructured, options kube.ApplyOptions) (*unstructured.Unstructured, error) {
	if live != nil && isApplied(ctx, host, want, live) {
		return live, nil
	}
	if live == nil {
		stored, err := controlplane.Create(ctx, host, want, func(found *unstructured.Unstructured) bool {
			return WrittenBy(found, host.FieldManager("")) && time.Since(found.GetCreationTimestamp().Time) < 2*controlplane.Restart
		})
		return stored, clusterset.Unreachable(host.Name(), err)
	}
	stored, err := controlplane.Repeat(ctx, func() (*unstructured.Unstructured, error) {
		stored, _, err := host.ApplyServerSide(ctx, want, live, options)
		return stored, err
	})
	return stored, clusterset.Unreachable(host.Name(), err)
}

// isApplied reports whether an apply of an object would change nothing. It returns false if the dry run fails.
func isApplied(ctx context.Context, host *kube.Cluster, want, live *unstructured.Unstructured) bool {
	_, changed, err := host.ApplyServerSide(ctx, want, live, kube.ApplyOptions{Force: true, Strict: true, DryRun: true})
	return err == nil && !changed
}

// Key sets the keys of a placement (see [convert.Keys]) on an object, with a field manager of their own (see keysSuffix), and does not change its content. It
// removes all other keys of a placement. If the object now belongs to another placement or was recreated, Key does not write the object, and returns a
// [*ClaimedError] or a [*RecreatedError].
func Key(
	ctx context.Context, host *kube.Cluster, of engine.Reference, live *unstructured.Unstructured, keys convert.Keys,
) (*unstructured.Unstructured, error) {
	if keys.Held(live.GetLabels(), live.GetAnnotations()) {
		return live, nil
	}
	return repeatConflicts(ctx, host, func() (*unstructured.Unstructured, error) { return key(ctx, host, of, live, keys) })
}

// repeatConflicts calls write, which reads and writes an object. It calls write again while the host cannot serve the requests, and if the object has
// changed between read and write.
func repeatConflicts(
	ctx context.Context, host *kube.Cluster, write func() (*unstructured.Unstructured, error),
) (*unstructured.Unstructured, error) {
	stored, err := controlplane.Repeat(ctx, func() (*unstructured.Unstructured, error) {
		return controlplane.RepeatConflicts(func(int) (*unstructured.Unstructured, error) { return write() })
	})
	return stored, clusterset.Unreachable(host.Name(), err)
}

// readUnclaimed reads an object again. It returns a [*ClaimedError] if the object now belongs to a placement that is not in allowed, and a [*RecreatedError]
// if the object was recreated.
func readUnclaimed(ctx context.Context, host *kube.Cluster, live *unstructured.Unstructured, allowed ...engine.Reference) (*unstructured.Unstructured, error) {
	now, err := controlplane.ReadAgain(ctx, host, live)
	if replaced, is := errors.AsType[*engine.ReplacedError](err); is {
		return nil, &RecreatedError{Was: replaced.Known, Now: replaced.Found}
	}
	if err != nil {
		return nil, err
	}
	if label, value := Claimed(now, allowed...); value != "" {
		return nil, &ClaimedError{Label: label, Policy: value}
	}
	return now, nil
}

func key(ctx context.Context, host *kube.Cluster, of engine.Reference, live *unstructured.Unstructured, keys convert.Keys) (*unstructured.Unstructured, error) {
	now, err := readUnclaimed(ctx, host, live, of)
	if err != nil {
		return nil, err
	}
	stored, _, err := host.ApplyServerSide(ctx, withOnlyKeys(now, keys), now, kube.ApplyOptions{
		Force: true, OptimisticLock: true, FieldManager: host.FieldManager("") + keysSuffix,
	})
	if err != nil {
		return nil, err
	}
	return removeOthers(ctx, host, stored, keys)
}

// removeOthers removes two kinds of keys from an object: annotations in [convert.OwnAnnotations] that are not in keys, and the labels in labels. An apply of
// the provider does not remove these keys, because other field managers own them, too.
func removeOthers(
	ctx context.Context, host *kube.Cluster, stored *unstructured.Unstructured, keys convert.Keys, labels ...string,
) (*unstructured.Unstructured, error) {
	var others []string
	for name := range convert.KeysIn(stored).Annotations {
		if _, wanted := keys.Annotations[name]; !wanted {
			others = append(others, name)
		}
	}
	if len(others) == 0 && len(labels) == 0 {
		return stored, nil
	}
	if err := host.RemoveMetadata(ctx, stored, labels, others); err != nil {
		return nil, err
	}
	return controlplane.ReadNow(ctx, host, stored)
}

// PutKeyed writes an object as [Put] does, with the keys of a placement, and removes all other keys of a placement. It returns an error, and does not write the
// object, if the object now belongs to another placement or was recreated.
func PutKeyed(
	ctx context.Context, host *kube.Cluster, of engine.Reference, want, live *unstructured.Unstructured, keys convert.Keys,
) (*unstructured.Unstructured, error) {
	stored, err := putUnclaimed(ctx, host, of, With(want, keys), live)
	if err != nil {
		return nil, err
	}
	return controlplane.Repeat(ctx, func() (*unstructured.Unstructured, error) { return removeOthers(ctx, host, stored, keys) })
}

// putUnclaimed writes an object as [Put] does. Before it changes an existing object, it reads the object again, and returns an error if readUnclaimed does.
func putUnclaimed(ctx context.Context, host *kube.Cluster, of engine.Reference, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	switch {
	case live == nil:
		return Put(ctx, host, want, nil)
	case isApplied(ctx, host, want, live):
		return live, nil
	}
	return repeatConflicts(ctx, host, func() (*unstructured.Unstructured, error) {
		now, err := readUnclaimed(ctx, host, live, of)
		if err != nil {
			return nil, err
		}
		stored, _, err := host.ApplyServerSide(ctx, want, now, kube.ApplyOptions{Force: true, Strict: true, OptimisticLock: true})
		return stored, err
	})
}

// Pin disables rescheduling of an object of a policy, so that the object and its followers remain on their clusters even if the policy changes. It does not
// change an object without the label of the policy.
func Pin(ctx context.Context, host *kube.Cluster, of engine.Reference, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live.GetLabels()[convert.PolicyLabelOf(of.Namespace)] != of.Name {
		return live, nil
	}
	return Key(ctx, host, of, live, pinnedKeys(live))
}

func pinnedKeys(live *unstructured.Unstructured) convert.Keys {
	keys := convert.KeysIn(live)
	keys.Annotations[v1alpha1.NoSchedulingAnnotation] = v1alpha1.NoSchedulingPinned
	return keys
}

// ClaimedError is returned when an object to be written has the label of another policy.
type ClaimedError struct{ Label, Policy string }

func (e *ClaimedError) Error() string {
	return fmt.Sprintf("it now belongs to the policy %q (label %s), and an object can have only one policy", e.Policy, e.Label)
}

// RecreatedError is returned when an object to be written was recreated since it was read.
type RecreatedError struct{ Was, Now string }

func (e *RecreatedError) Error() string {
	return fmt.Sprintf("it was recreated since it was read (UID %s, now %s). Plan again", e.Was, e.Now)
}

// Claimed checks whether an object has a label with the policy of a placement that is not in allowed. It returns the key of this label and the name of the
// policy, or empty strings if there is no such label.
func Claimed(u metav1.Object, allowed ...engine.Reference) (label, policy string) {
	for _, label := range convert.OwnLabels {
		if value := u.GetLabels()[label]; value != "" && !slices.ContainsFunc(allowed, func(one engine.Reference) bool { return hasLabelOf(u, one, label) }) {
			return label, value
		}
	}
	return "", ""
}

func hasLabelOf(u metav1.Object, of engine.Reference, label string) bool {
	return label == convert.PolicyLabelOf(of.Namespace) && u.GetLabels()[label] == of.Name
}

// WrittenBy reports whether a field manager owns any field of an object, apart from fields that it wrote through a subresource.
func WrittenBy(u metav1.Object, manager string) bool {
	return slices.ContainsFunc(u.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == manager && entry.Subresource == "" })
}

// keysSuffix is the suffix of the field manager for keys. If the provider applied only the keys with its own field manager, the apply would remove all other
// fields that the provider owns.
const keysSuffix = "-keys"

// IsOwn reports whether name is a field manager of the provider: manager, or the field manager for keys.
func IsOwn(name, manager string) bool { return name == manager || name == manager+keysSuffix }

func withOnlyKeys(of *unstructured.Unstructured, keys convert.Keys) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(of.GroupVersionKind())
	out.SetNamespace(of.GetNamespace())
	out.SetName(of.GetName())
	out.SetLabels(keys.Labels)
	out.SetAnnotations(keys.Annotations)
	return out
}

// With returns a copy of an object to which the keys of a placement are added.
func With(u *unstructured.Unstructured, keys convert.Keys) *unstructured.Unstructured {
	out := u.DeepCopy()
	labels, annotations := maps.Clone(out.GetLabels()), maps.Clone(out.GetAnnotations())
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	maps.Copy(labels, keys.Labels)
	maps.Copy(annotations, keys.Annotations)
	if len(labels) > 0 {
		out.SetLabels(labels)
	}
	if len(annotations) > 0 {
		out.SetAnnotations(annotations)
	}
	return out
}
