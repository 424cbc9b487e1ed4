package agent

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// AppliedWorkKind is the kind of the object that the agent creates on a member for each Work. The agent makes the AppliedWork an owner of the objects in the
// Work.
var AppliedWorkKind = schema.GroupVersionKind{Group: kubefleetapi.PlacementGroup, Version: kubefleetapi.AppliedWorkVersion, Kind: AppliedWork}

// Identifier returns the identifier of an object that the agent has applied.
func Identifier(r v1beta1.AppliedResource) manifest.Identifier {
	return manifest.Identifier{Group: r.Group, Version: r.Version, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}

// Reference returns an owner reference to an AppliedWork.
func Reference(w v1beta1.AppliedWork) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: APIVersion, Kind: AppliedWork, Name: w.Name, UID: w.UID, BlockOwnerDeletion: new(true),
	}
}
