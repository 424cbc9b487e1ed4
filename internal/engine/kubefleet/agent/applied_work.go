package agent

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// AppliedWorkKind is what the agent keeps on a member for every Work: what it applied refers to it, and goes when it goes.
var AppliedWorkKind = schema.GroupVersionKind{Group: "placement.kubernetes-fleet.io", Version: "v1beta1", Kind: AppliedWork}

// Applied is an AppliedWork as far as the provider reads it.
type Applied struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Status struct {
		// AppliedResources are the objects that the agent has applied; those that it could not apply are not among them.
		AppliedResources []AppliedResource `json:"appliedResources,omitempty"`
	} `json:"status,omitzero"`
}

// AppliedResource is an object that the agent has applied.
type AppliedResource struct {
	Group     string    `json:"group,omitempty"`
	Version   string    `json:"version,omitempty"`
	Kind      string    `json:"kind,omitempty"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name,omitempty"`
	UID       types.UID `json:"uid,omitempty"`
}

// Identifier is the object's.
func (r AppliedResource) Identifier() manifest.Identifier {
	return manifest.Identifier{Group: r.Group, Version: r.Version, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}

// Reference is how objects refer to the AppliedWork.
func (w Applied) Reference() metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: APIVersion, Kind: AppliedWork, Name: w.Name, UID: w.UID, BlockOwnerDeletion: new(true),
	}
}
