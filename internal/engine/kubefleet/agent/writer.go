package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	// FieldManager is the name under which the agent writes.
	FieldManager = "work-api-agent"
	// SpecHashAnnotation is where it keeps the hash of what it applied, LastAppliedAnnotation where a client-side apply keeps all of it.
	SpecHashAnnotation    = kubefleetapi.Prefix + "spec-hash"
	LastAppliedAnnotation = kubefleetapi.Prefix + "last-applied-configuration"

	// beforeFirstApply is the manager that the API server gives to what was there before any apply.
	beforeFirstApply = "before-first-apply"
)

// ownAnnotations are those of how an object was applied, here or elsewhere: the agent never takes them from a manifest.
var ownAnnotations = []string{
	SpecHashAnnotation, LastAppliedAnnotation, "kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision",
}

// Outgoing is an object as the agent sends it, but for the owner reference: without what belongs to the server it came from, and with the hash
// of its content. Finalizers stay.
func Outgoing(content *unstructured.Unstructured) *unstructured.Unstructured {
	out := manifest.WithoutServerSet(content, "ownerReferences", "deletionGracePeriodSeconds")
	for _, annotation := range ownAnnotations {
		unstructured.RemoveNestedField(out.Object, "metadata", "annotations", annotation)
	}
	unstructured.RemoveNestedField(out.Object, "status")
	annotations := maps.Clone(out.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[SpecHashAnnotation] = SpecHash(content)
	out.SetAnnotations(annotations)
	return out
}

// SpecHash is the hash by which the agent tells whether it has applied a manifest as it is now.
func SpecHash(content *unstructured.Unstructured) string {
	text, err := json.Marshal(diff.Strip(content))
	if err != nil {
		return "" // no object that was read from JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

var _ memberpreview.Writer = (*Writer)(nil)

// Writer writes as the agent does. A preview calls it for dry runs alone: the provider changes nothing in the agent's name.
type Writer struct {
	Cluster  *kube.Cluster
	Strategy placement.ApplyStrategy
	// Owner is the AppliedWork that objects are to refer to; nil while there is none, as before the first apply.
	Owner *metav1.OwnerReference
}

// Write makes one write.
func (w *Writer) Write(ctx context.Context, o *memberpreview.Object, action takeover.Action, dryRun bool) (*unstructured.Unstructured, error) {
	desired := o.Desired
	if w.Owner != nil {
		desired = desired.DeepCopy()
		desired.SetOwnerReferences([]metav1.OwnerReference{*w.Owner})
	}
	options := w.options(o, action)
	options.DryRun = dryRun
	switch {
	case w.Strategy.Type != placement.ServerSideApply:
		result, _, err := w.Cluster.ApplyClientSide(ctx, desired, o.Live, options)
		return result, err
	case o.Live == nil:
		return w.Cluster.Create(ctx, desired, kube.WriteOptions{FieldManager: FieldManager, DryRun: dryRun})
	default:
		result, _, err := w.Cluster.ApplyServerSide(ctx, desired, o.Live, options)
		return result, err
	}
}

// options are those of an apply.
func (w *Writer) options(o *memberpreview.Object, action takeover.Action) kube.ApplyOptions {
	out := kube.ApplyOptions{
		FieldManager: FieldManager, LastAppliedAnnotation: LastAppliedAnnotation, KeepUpdates: true, LargeServerSide: true,
		OptimisticLock: w.Strategy.WhenToApply == placement.ApplyIfNotDrifted, Force: forces(o, action),
	}
	if w.Strategy.Type == placement.ServerSideApply {
		out.Force = out.Force || *w.Strategy.ServerSideApplyConfig.Force
	}
	return out
}

// Changes compares locally.
func (w *Writer) Changes(schema diff.Schema, o *memberpreview.Object, action takeover.Action, set []diff.Difference) []diff.Difference {
	if w.Strategy.Type == placement.ServerSideApply {
		return memberpreview.ServerSideChanges(w.Cluster, schema, o, set, w.options(o, action))
	}
	return memberpreview.ClientSideChanges(w.Cluster, schema, o, set, w.options(o, action))
}

// Conflicts compares locally. The agent conflicts with its own creation of an object: it never turns that into ownership by apply (KubeFleet,
// pkg/controllers/workapplier: createManifestObject, serverSideApply).
func (w *Writer) Conflicts(schema diff.Schema, o *memberpreview.Object, action takeover.Action) []diff.Conflict {
	if w.Strategy.Type != placement.ServerSideApply {
		return nil
	}
	return memberpreview.ServerSideConflicts(w.Cluster, schema, o, w.options(o, action))
}

// forces tells whether the agent takes fields away from others whatever is configured: nobody but the agent has written to the object. The reference
// to itself, which it writes before it applies what it takes over, is in another name (KubeFleet, pkg/controllers/workapplier:
// shouldUseForcedServerSideApply).
func forces(o *memberpreview.Object, action takeover.Action) bool {
	return o.Live != nil && action != takeover.ActionTakeOver && onlyAgentWrote(o.Live)
}

func onlyAgentWrote(live *unstructured.Unstructured) bool {
	return !slices.ContainsFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager != FieldManager && entry.Manager != beforeFirstApply
	})
}
