package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// ClusterStagedUpdateStrategy is a list of stages that runs of ClusterResourcePlacements go through. It has no status, though the
// definition gives it the subresource.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=csus
// +kubebuilder:subresource:status
type ClusterStagedUpdateStrategy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.StagedUpdateStrategySpec `json:"spec"`
}

// StagedUpdateStrategy is a list of stages that runs of ResourcePlacements go through.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=sus
type StagedUpdateStrategy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.StagedUpdateStrategySpec `json:"spec"`
}
