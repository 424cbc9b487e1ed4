package convert

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Standing is where an object stands on a member, in one word.
type Standing string

// The standings.
const (
	// StandingDone: the object is as it is to be.
	StandingDone Standing = "done"
	// StandingPending: the control plane has not come to it, or waits.
	StandingPending Standing = "pending"
	// StandingRefused: an object of that name is there, and is not taken over.
	StandingRefused Standing = "refused"
	// StandingFailed: it could not be written; the control plane tries again and again.
	StandingFailed Standing = "failed"
	// StandingUnreachable: the control plane does not reach the member.
	StandingUnreachable Standing = "unreachable"
	// StandingLeaving: it is being removed.
	StandingLeaving Standing = "leaving"
)

// Values lists the standings.
func (Standing) Values() []string {
	return []string{
		string(StandingDone), string(StandingPending), string(StandingRefused), string(StandingFailed), string(StandingUnreachable), string(StandingLeaving),
	}
}

// StandingOf is that of a status of a FederatedObject for a member. One that times out is one that is under way.
func StandingOf(status string) Standing {
	switch status {
	case v1alpha1.StatusOK:
		return StandingDone
	case v1alpha1.StatusAlreadyExists, v1alpha1.StatusManagedLabelFalse:
		return StandingRefused
	case v1alpha1.StatusClusterNotReady, v1alpha1.StatusClientRetrievalFailed:
		return StandingUnreachable
	case v1alpha1.StatusClusterTerminating, v1alpha1.StatusWaitingForRemoval, v1alpha1.StatusWaitingForCascadingDelete, v1alpha1.StatusDeletionFailed,
		v1alpha1.StatusDeletionTimedOut, v1alpha1.StatusLabelRemovalFailed, v1alpha1.StatusLabelRemovalTimedOut:
		return StandingLeaving
	case "", v1alpha1.StatusPendingCreate, v1alpha1.StatusFinalizerCheckFailed, v1alpha1.StatusCreationTimedOut, v1alpha1.StatusUpdateTimedOut:
		return StandingPending
	default:
		return StandingFailed
	}
}

// Federated is what the control plane has made of an object: a FederatedObject, in a namespace or in none.
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

// Current tells whether the status may be trusted: no step is pending, and it is about the object as it is now.
func (f Federated) Current() bool {
	return cmp.Or(f.Annotations[v1alpha1.PendingControllersAnnotation], v1alpha1.NoPendingControllers) == v1alpha1.NoPendingControllers &&
		f.Status.SyncedGeneration == f.Generation && !f.Deleting
}

// Placed are the members that the object is to be on, sorted.
func (f Federated) Placed() []string {
	var out []string
	for _, p := range f.Spec.Placements {
		for _, c := range p.Placement {
			out = append(out, c.Cluster)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// On is where the object stands on a member, with the word of the control plane for it; known is false where that says nothing.
func (f Federated) On(cluster string) (standing Standing, word string, known bool) {
	for _, s := range f.Status.Clusters {
		if s.Cluster == cluster {
			return StandingOf(s.Status), s.Status, true
		}
	}
	return StandingPending, "", false
}

// Involves reports whether the object is on a member, or is to be: the control plane tells of it there, or places it there.
func (f Federated) Involves(cluster string) bool {
	_, _, told := f.On(cluster)
	return told || slices.Contains(f.Placed(), cluster)
}

// GenerationOn is the generation of the object on a member as the control plane has seen it last.
func (f Federated) GenerationOn(cluster string) int64 {
	for _, s := range f.Status.Clusters {
		if s.Cluster == cluster {
			return s.LastObservedGeneration
		}
	}
	return 0
}

// Identifier is that of the object on the host.
func (f Federated) Identifier() manifest.Identifier {
	template := &unstructured.Unstructured{}
	if err := template.UnmarshalJSON(f.Spec.Template.Raw); err != nil {
		return manifest.Identifier{Namespace: f.Namespace, Name: f.Name}
	}
	return manifest.NewObject(template, nil).Identifier
}
