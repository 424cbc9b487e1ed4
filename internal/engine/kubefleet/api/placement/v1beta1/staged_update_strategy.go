package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ClusterStagedUpdateStrategy is a list of stages for runs of ClusterResourcePlacements. It has no status, although its CustomResourceDefinition enables the
// status subresource.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=csus
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ClusterStagedUpdateStrategy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec StagedUpdateStrategySpec `json:"spec"`
}

// StagedUpdateStrategy is a list of stages for runs of ResourcePlacements.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=sus
// +kubebuilder:storageversion
type StagedUpdateStrategy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec StagedUpdateStrategySpec `json:"spec"`
}

// StagedUpdateStrategySpec has the stages in order.
type StagedUpdateStrategySpec struct {
	// +kubebuilder:validation:MaxItems=31
	// +required
	Stages []StageConfig `json:"stages"`
}

// StageConfig is one stage.
type StageConfig struct {
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]+$`
	// +required
	Name string `json:"name"`
	// LabelSelector selects the clusters of the stage: none if it is nil, all if it is empty.
	//
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// SortingLabelKey is a label with a number by which the clusters are sorted. Without it, they are sorted by name.
	//
	// +optional
	SortingLabelKey *string `json:"sortingLabelKey,omitempty"`
	// MaxConcurrency is how many clusters change at the same time: a whole number, or a percentage of the stage's clusters, rounded down but at least one.
	//
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^(100|[1-9][0-9]?)%$`
	// +kubebuilder:validation:XValidation:rule="type(self) != int || self >= 1",message="maxConcurrency must be at least 1"
	// +optional
	MaxConcurrency *intstr.IntOrString `json:"maxConcurrency,omitempty"`
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.type != 'Approval' || !has(t.waitTime))",message="AfterStageTaskType is Approval, waitTime is not allowed"
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.type != 'TimedWait' || has(t.waitTime))",message="AfterStageTaskType is TimedWait, waitTime is required"
	// +optional
	AfterStageTasks []StageTask `json:"afterStageTasks,omitzero"`
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.type != 'Approval' || !has(t.waitTime))",message="AfterStageTaskType is Approval, waitTime is not allowed"
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.type != 'TimedWait')",message="BeforeStageTaskType cannot be TimedWait"
	// +optional
	BeforeStageTasks []StageTask `json:"beforeStageTasks,omitzero"`
}

// StageTask is a task before or after a stage that the run waits for.
type StageTask struct {
	// +kubebuilder:validation:Enum=TimedWait;Approval
	// +required
	Type string `json:"type"`
	// WaitTime is a duration such as 1h30m, for TimedWait only.
	//
	// +kubebuilder:validation:Pattern=`^(?:(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:s|m|h))+$`
	// +kubebuilder:validation:Type=string
	// +optional
	WaitTime *metav1.Duration `json:"waitTime,omitempty"`
}
