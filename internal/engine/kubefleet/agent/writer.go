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
	// FieldManager is the field manager of the agent.
	FieldManager = "work-api-agent"
	// SpecHashAnnotation has the hash of the applied manifest. After a client-side apply, LastAppliedAnnotation has the whole manifest, unless it is too large.
	SpecHashAnnotation    = kubefleetapi.Prefix + "spec-hash"
	LastAppliedAnnotation = kubefleetapi.Prefix + "last-applied-configuration"

	// beforeFirstApply is the manager that the API server records for fields that were set before the first server-side apply.
	beforeFirstApply = "before-first-apply"
)

// ownAnnotations are annotations of the agent, of kubectl and of the Deployment controller. The agent never copies them from a manifest.
var ownAnnotations = []string{
	SpecHashAnnotation, LastAppliedAnnotation, "kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision",
}

// Outgoing returns an object as the agent sends it, but without the owner reference. It removes the status, the fields that the hub's API server has set, and
// ownAnnotations, and adds the hash of the content. It keeps finalizers.
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

// SpecHash returns the hash by which the agent detects whether it has applied the current manifest.
func SpecHash(content *unstructured.Unstructured) string {
	text, err := json.Marshal(diff.Strip(content))
	if err != nil {
		return "" // does not happen for an object that was read from JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

var _ memberpreview.Writer = (*Writer)(nil)

// Writer writes objects in the same way as the agent. Previews use it for dry runs only.
type Writer struct {
	Cluster  *kube.Cluster
	Strategy placement.ApplyStrategy
	// Owner is a reference to any AppliedWork of the placement. Write sets it as the owner reference of the objects. Owner is nil before the first apply, when
	// there is no AppliedWork.
	Owner *metav1.OwnerReference
}

// Write creates or applies an object.
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

// Changes computes the changes that an apply would make, and sends no dry run. See [memberpreview.Writer] for the parameters.
func (w *Writer) Changes(schema diff.Schema, o *memberpreview.Object, action takeover.Action, set []diff.Difference) []diff.Difference {
	if w.Strategy.Type == placement.ServerSideApply {
		return memberpreview.ServerSideChanges(w.Cluster, schema, o, set, w.options(o, action))
	}
	return memberpreview.ClientSideChanges(w.Cluster, schema, o, set, w.options(o, action))
}

// LastApplied returns the configuration that the agent's last client-side apply stored. It returns nil if there is none, or if the strategy is a server-side
// apply.
func (w *Writer) LastApplied(live *unstructured.Unstructured) *unstructured.Unstructured {
	if w.Strategy.Type == placement.ServerSideApply {
		return nil
	}
	return kube.LastApplied(live, kube.ApplyOptions{LastAppliedAnnotation: LastAppliedAnnotation})
}

// Removals computes the fields that an apply would remove, and sends no dry run. See [memberpreview.Writer] for the results.
func (w *Writer) Removals(schema diff.Schema, o *memberpreview.Object, action takeover.Action) (removals []diff.Difference, isWhole bool) {
	if w.Strategy.Type == placement.ServerSideApply {
		return memberpreview.ServerSideRemovals(w.Cluster, schema, o, w.options(o, action))
	}
	return memberpreview.ClientSideRemovals(w.Cluster, schema, o, w.options(o, action))
}

// Conflicts computes the conflicts of a server-side apply, and sends no dry run. It returns nil for a client-side apply. The agent can conflict with its own
// creation of an object, because it never converts the ownership by the create request into ownership by apply (KubeFleet, pkg/controllers/workapplier:
// createManifestObject, serverSideApply).
func (w *Writer) Conflicts(schema diff.Schema, o *memberpreview.Object, action takeover.Action) []diff.Conflict {
	if w.Strategy.Type != placement.ServerSideApply {
		return nil
	}
	return memberpreview.ServerSideConflicts(w.Cluster, schema, o, w.options(o, action))
}

// forces reports whether the agent forces conflicts regardless of the configuration. This is the case if only the agent has written to the object. It is not
// the case for a takeover, because the agent first writes its owner reference with another field manager (KubeFleet, pkg/controllers/workapplier:
// shouldUseForcedServerSideApply).
func forces(o *memberpreview.Object, action takeover.Action) bool {
	return o.Live != nil && action != takeover.ActionTakeOver && onlyAgentWrote(o.Live)
}

func onlyAgentWrote(live *unstructured.Unstructured) bool {
	return !slices.ContainsFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager != FieldManager && entry.Manager != beforeFirstApply
	})
}
