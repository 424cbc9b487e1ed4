// Package stagedupdate has the types of KubeFleet's staged updates: a strategy is a list of stages, and a run updates a placement stage by stage (API
// version placement.kubernetes-fleet.io/v1beta1, kinds StagedUpdateStrategy and StagedUpdateRun, and the same with the prefix Cluster).
package stagedupdate

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Strategy holds the stages in order.
type Strategy struct {
	Stages []Stage `json:"stages"`
}

// Stage is a group of clusters that are updated together.
type Stage struct {
	Name string `json:"name"`
	// LabelSelector selects the clusters of the stage: none if it is nil, all if it is empty.
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// SortingLabelKey is the label whose numeric values order the clusters. Without it, clusters are ordered by name.
	SortingLabelKey string `json:"sortingLabelKey,omitempty"`
	// MaxConcurrency is how many clusters change at the same time: a number, or a percentage of the stage's clusters. The default is 1.
	MaxConcurrency   string `json:"maxConcurrency,omitempty"`
	BeforeStageTasks []Task `json:"beforeStageTasks,omitzero"`
	AfterStageTasks  []Task `json:"afterStageTasks,omitzero"`
}

// Task is a condition that a run waits for before or after a stage.
type Task struct {
	Type TaskType `json:"type"`
	// WaitTime is a duration such as 1h30m, for TimedWait only.
	WaitTime string `json:"waitTime,omitempty"`
}

// Run is an update of a placement to a version of its content. All fields except State are immutable.
type Run struct {
	PlacementName string `json:"placementName"`
	// ResourceSnapshotIndex is the index of the content; empty for the latest.
	ResourceSnapshotIndex string `json:"resourceSnapshotIndex,omitempty"`
	StrategyName          string `json:"stagedRolloutStrategyName"`
	State                 State  `json:"state,omitempty"`
}

// Defaulted returns the run with its defaults set.
func (r Run) Defaulted() Run {
	if r.State == "" {
		r.State = Initialize
	}
	return r
}

// The enumerations of the CRDs, in their spelling. Each has a Values method for validators and documentation.
type (
	// TaskType is what a task waits for.
	TaskType string
	// State is the desired state of a run.
	State string
	// Phase is the observed state of a run or a stage.
	Phase string
)

const (
	TimedWait TaskType = "TimedWait"
	Approval  TaskType = "Approval"

	Initialize State = "Initialize"
	Started    State = "Run"
	Stop       State = "Stop"

	// PhasePending is a run that the hub has not processed yet, or a stage that the run has not reached.
	PhasePending     Phase = "Pending"
	PhaseInitialized Phase = "Initialized"
	PhaseProgressing Phase = "Progressing"
	PhaseWaiting     Phase = "Waiting"
	PhaseStuck       Phase = "Stuck"
	PhaseStopped     Phase = "Stopped"
	PhaseSucceeded   Phase = "Succeeded"
	PhaseFailed      Phase = "Failed"
)

// Values lists the values in the order in which they are documented.
func (TaskType) Values() []string { return []string{"TimedWait", "Approval"} }

// Values lists the values in the order in which they are documented.
func (State) Values() []string { return []string{"Initialize", "Run", "Stop"} }

// Values lists the values in the order in which they are documented.
func (Phase) Values() []string {
	return []string{"Pending", "Initialized", "Progressing", "Waiting", "Stuck", "Stopped", "Succeeded", "Failed"}
}

// Status is the observed state of a run.
type Status struct {
	// Generation is the current generation of the run. Conditions can refer to older generations.
	Generation int64
	// ResourceSnapshotIndex is the index of the content; empty until the run is initialized.
	ResourceSnapshotIndex string
	Conditions            []placement.Condition
	// Stages are in the order of the strategy. If clusters are no longer picked, another stage at the end removes the placement from them.
	Stages []StageStatus
}

// StageStatus is the observed state of a stage.
type StageStatus struct {
	Name       string
	Conditions []placement.Condition
	Clusters   []ClusterStatus
	Tasks      []TaskStatus
}

// ClusterStatus is the observed state of a cluster in a stage.
type ClusterStatus struct {
	Name       string
	Conditions []placement.Condition
}

// TaskStatus is the observed state of a task.
type TaskStatus struct {
	Type TaskType
	// Request is the name of the approval request, or "".
	Request    string
	Conditions []placement.Condition
}

// Duration returns the wait time, or zero if there is none.
func (t Task) Duration() time.Duration {
	d, err := time.ParseDuration(t.WaitTime)
	if err != nil {
		return 0
	}
	return d
}
