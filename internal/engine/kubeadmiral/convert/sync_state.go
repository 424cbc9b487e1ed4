package convert

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// SyncState is the state of an object on a member.
type SyncState string

// These are the states.
const (
	// SyncDone: the object is up to date.
	SyncDone SyncState = "done"
	// SyncPending: the control plane has not finished processing the object.
	SyncPending SyncState = "pending"
	// SyncRefused: the member has a pre-existing object that is not taken over.
	SyncRefused SyncState = "refused"
	// SyncFailed: the object could not be written; the control plane retries.
	SyncFailed SyncState = "failed"
	// SyncUnreachable: the control plane cannot reach the member.
	SyncUnreachable SyncState = "unreachable"
	// SyncLeaving: the object is being removed.
	SyncLeaving SyncState = "leaving"
)

// Values lists the states.
func (SyncState) Values() []string {
	return []string{
		string(SyncDone), string(SyncPending), string(SyncRefused), string(SyncFailed), string(SyncUnreachable), string(SyncLeaving),
	}
}

// SyncStateOf converts the status of an object on a member. An empty status and a timeout of a creation or an update count as pending. An unknown status
// counts as failed.
func SyncStateOf(status string) SyncState {
	switch status {
	case v1alpha1.StatusOK:
		return SyncDone
	case v1alpha1.StatusAlreadyExists, v1alpha1.StatusManagedLabelFalse:
		return SyncRefused
	case v1alpha1.StatusClusterNotReady, v1alpha1.StatusClientRetrievalFailed:
		return SyncUnreachable
	case v1alpha1.StatusClusterTerminating, v1alpha1.StatusWaitingForRemoval, v1alpha1.StatusWaitingForCascadingDelete, v1alpha1.StatusDeletionFailed,
		v1alpha1.StatusDeletionTimedOut, v1alpha1.StatusLabelRemovalFailed, v1alpha1.StatusLabelRemovalTimedOut:
		return SyncLeaving
	case "", v1alpha1.StatusPendingCreate, v1alpha1.StatusFinalizerCheckFailed, v1alpha1.StatusCreationTimedOut, v1alpha1.StatusUpdateTimedOut:
		return SyncPending
	default:
		return SyncFailed
	}
}

// Federated is the FederatedObject, namespaced or cluster-scoped, that the control plane created for an object.
type Federated struct {
	Namespace, Name, UID string
	Generation           int64
	Labels, Annotations  map[string]string
	Deleting             bool
	Spec                 v1alpha1.FederatedObjectSpec
	Status               v1alpha1.FederatedObjectStatus
	// Owner is the UID of the object on the host.
	Owner string
}

// NewFederated reads a FederatedObject of either kind.
func NewFederated(o v1alpha1.FederatedObject) Federated {
	out := Federated{
		Namespace: o.Namespace, Name: o.Name, UID: string(o.UID), Generation: o.Generation, Labels: o.Labels, Annotations: o.Annotations,
		Deleting: o.DeletionTimestamp != nil, Spec: o.Spec, Status: o.Status,
	}
	for _, ref := range o.OwnerReferences {
		if ref.Controller != nil && *ref.Controller {
			out.Owner = string(ref.UID)
		}
	}
	return out
}

// Current reports whether the status is up to date: no controller is pending, the status is of the current generation, and the FederatedObject is not being
// deleted.
func (f Federated) Current() bool {
	return cmp.Or(f.Annotations[v1alpha1.PendingControllersAnnotation], v1alpha1.NoPendingControllers) == v1alpha1.NoPendingControllers &&
		f.Status.SyncedGeneration == f.Generation && !f.Deleting
}

// Observes reports whether the control plane has observed stored, the object on the host. The FederatedObject must have the keys of stored. It must also
// have the generation of stored or a later one or, for kinds without generations, the content of stored.
func (f Federated) Observes(stored *unstructured.Unstructured) bool {
	if !KeysIn(stored).Held(f.Labels, f.Annotations) {
		return false
	}
	template := &unstructured.Unstructured{}
	if err := template.UnmarshalJSON(f.Spec.Template.Raw); err != nil {
		return false
	}
	if stored.GetGeneration() != 0 {
		return template.GetGeneration() >= stored.GetGeneration()
	}
	return reflect.DeepEqual(contentOf(stored), contentOf(template))
}

// contentOf returns the fields of an object except those that a template omits or has in another form.
func contentOf(u *unstructured.Unstructured) map[string]any {
	out := maps.Clone(u.Object)
	delete(out, "metadata")
	delete(out, "status")
	return out
}

// Placed returns the names of the members that the object is placed on, sorted.
func (f Federated) Placed() []string { return f.placed(func(string) bool { return true }) }

// Scheduled returns the names of the members that the scheduler has picked for the object, sorted. Other controllers can place the object on further members.
func (f Federated) Scheduled() []string {
	return f.placed(func(controller string) bool { return controller == v1alpha1.GlobalScheduler })
}

func (f Federated) placed(by func(controller string) bool) []string {
	var out []string
	for _, p := range f.Spec.Placements {
		if !by(p.Controller) {
			continue
		}
		for _, c := range p.Placement {
			out = append(out, c.Cluster)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// On returns the state of the object on a member, and the status word of the control plane. If the status does not list the member, On returns SyncPending,
// and known is false.
func (f Federated) On(cluster string) (state SyncState, word string, known bool) {
	for _, s := range f.Status.Clusters {
		if s.Cluster == cluster {
			return SyncStateOf(s.Status), s.Status, true
		}
	}
	return SyncPending, "", false
}

// Involves reports whether the object is on a member or will be: the status or the placements list the member.
func (f Federated) Involves(cluster string) bool {
	_, _, known := f.On(cluster)
	return known || slices.Contains(f.Placed(), cluster)
}

// GenerationOn returns the last generation of the object on a member that the control plane has observed, or 0 if the status does not list the member.
func (f Federated) GenerationOn(cluster string) int64 {
	for _, s := range f.Status.Clusters {
		if s.Cluster == cluster {
			return s.LastObservedGeneration
		}
	}
	return 0
}

// Identifier returns the identifier of the object on the host. If the template cannot be parsed, the result has only the namespace and the name of the
// FederatedObject.
func (f Federated) Identifier() manifest.Identifier {
	template := &unstructured.Unstructured{}
	if err := template.UnmarshalJSON(f.Spec.Template.Raw); err != nil {
		return manifest.Identifier{Namespace: f.Namespace, Name: f.Name}
	}
	return manifest.NewObject(template, nil).Identifier
}
