package v1beta1

import "k8s.io/apimachinery/pkg/util/intstr"

// RolloutStrategy specifies how changes reach the clusters.
type RolloutStrategy struct {
	// +kubebuilder:default=RollingUpdate
	// +kubebuilder:validation:Enum=RollingUpdate;External
	// +kubebuilder:validation:XValidation:rule="self == 'External' || oldSelf != 'External'",message="cannot change rollout strategy type from 'External' to other types"
	// +optional
	Type string `json:"type,omitempty"`
	// +optional
	RollingUpdate *RollingUpdateConfig `json:"rollingUpdate,omitempty"`
	// +optional
	ApplyStrategy *ApplyStrategy `json:"applyStrategy,omitempty"`
	// DeleteStrategy is not in v1, and no hub acts on it.
	//
	// +optional
	DeleteStrategy *DeleteStrategy `json:"deleteStrategy,omitempty"`
	// ReportBackStrategy is not in v1, and no hub acts on it.
	//
	// +optional
	ReportBackStrategy *ReportBackStrategy `json:"reportBackStrategy,omitempty"`
}

// RollingUpdateConfig limits how many clusters change at the same time.
type RollingUpdateConfig struct {
	// MaxUnavailable is a whole number or a percentage. A whole number written as a string passes the schema, but a hub cannot read it.
	//
	// +kubebuilder:default="25%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^((100|[0-9]{1,2})%|[0-9]+)$`
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	// +kubebuilder:default="25%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^((100|[0-9]{1,2})%|[0-9]+)$`
	// +optional
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`
	// UnavailablePeriodSeconds applies only to clusters with objects whose availability cannot be tracked.
	//
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=0
	// +optional
	UnavailablePeriodSeconds *int `json:"unavailablePeriodSeconds,omitempty"`
}

// ApplyStrategy specifies how an object is written, and when a pre-existing one is taken over.
type ApplyStrategy struct {
	// +kubebuilder:default=ClientSideApply
	// +kubebuilder:validation:Enum=ClientSideApply;ServerSideApply;ReportDiff
	// +optional
	Type string `json:"type,omitempty"`
	// +kubebuilder:default=PartialComparison
	// +kubebuilder:validation:Enum=PartialComparison;FullComparison
	// +optional
	ComparisonOption string `json:"comparisonOption,omitempty"`
	// +kubebuilder:default=Always
	// +kubebuilder:validation:Enum=Always;IfNotDrifted
	// +optional
	WhenToApply string `json:"whenToApply,omitempty"`
	// +kubebuilder:default=Always
	// +kubebuilder:validation:Enum=Always;IfNoDiff;Never
	// +optional
	WhenToTakeOver string `json:"whenToTakeOver,omitempty"`
	// +optional
	AllowCoOwnership *bool `json:"allowCoOwnership,omitempty"`
	// ServerSideApplyConfig is rejected by webhooks with any type but ServerSideApply.
	//
	// +optional
	ServerSideApplyConfig *ServerSideApplyConfig `json:"serverSideApplyConfig,omitempty"`
}

// ServerSideApplyConfig specifies whether to force conflicts with other managers.
type ServerSideApplyConfig struct {
	// +optional
	Force *bool `json:"force,omitempty"`
}

// DeleteStrategy specifies what happens to placed objects when the placement is deleted.
type DeleteStrategy struct {
	// +kubebuilder:default=Delete
	// +kubebuilder:validation:Enum=Abandon;Delete
	// +optional
	PropagationPolicy string `json:"propagationPolicy,omitempty"`
}

// ReportBackStrategy specifies whether the status of objects on members is copied back. As on a real hub, the API server rejects Mirror without a
// destination, because the rule cannot read the missing field.
//
// +kubebuilder:validation:XValidation:rule="self.type != 'Mirror' || size(self.destination) > 0",message="when reportBackStrategy.type is 'Mirror', a destination must be specified"
type ReportBackStrategy struct {
	// Type is required by the schema, which has a default for it.
	//
	// +kubebuilder:default=Disabled
	// +kubebuilder:validation:Enum=Disabled;Mirror
	// +required
	Type string `json:"type,omitempty"`
	// +kubebuilder:validation:Enum=OriginalResource;WorkAPI
	// +optional
	Destination string `json:"destination,omitempty"`
}
