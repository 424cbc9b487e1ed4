package agent

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// AppliedWorkKind is what the agent keeps on a member for every Work: what it applied refers to it, and goes when it goes.
var AppliedWorkKind = schema.GroupVersionKind{Group: "placement.kubernetes-fleet.io", Version: "v1beta1", Kind: AppliedWork}

// Identifier is that of an object that the agent has applied.
func Identifier(r v1beta1.AppliedResource) manifest.Identifier {
	return manifest.Identifier{Group: r.Group, Version: r.Version, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}

// Reference is how objects refer to an AppliedWork.
func Reference(w v1beta1.AppliedWork) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: APIVersion, Kind: AppliedWork, Name: w.Name, UID: w.UID, BlockOwnerDeletion: new(true),
	}
}
