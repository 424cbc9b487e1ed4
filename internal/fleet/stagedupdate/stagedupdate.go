// Package stagedupdate holds the nouns of KubeFleet's staged updates: a strategy is a list of stages, and a run takes a content of a placement
// through them (API version placement.kubernetes-fleet.io/v1beta1, kinds StagedUpdateStrategy and StagedUpdateRun, and those with Cluster
// before them).
package stagedupdate

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Strategy is the stages, in order.
type Strategy struct {
	Stages []Stage `json:"stages"`
}

// Stage is some of the clusters that are updated together.
type Stage struct {
	Name string `json:"name"`
	// LabelSelector picks the clusters of the stage: none if it is nil, all if it is empty.
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// SortingLabelKey is the label by whose numbers the clusters are ordered; by name without it.
	SortingLabelKey string `json:"sortingLabelKey,omitempty"`
	// MaxConcurrency is how many clusters change at once: a number, or a percentage of the stage's. The default is 1.
	MaxConcurrency   string `json:"maxConcurrency,omitempty"`
	BeforeStageTasks []Task `json:"beforeStageTasks,omitzero"`
	AfterStageTasks  []Task `json:"afterStageTasks,omitzero"`
}

// Task is what is waited for before or after a stage.
type Task struct {
	Type TaskType `json:"type"`
	// WaitTime is a duration such as 1h30m, for TimedWait only.
	WaitTime string `json:"waitTime,omitempty"`
}

// Run rolls a content out. All but its state is immutable.
type Run struct {
	PlacementName string `json:"placementName"`
	// ResourceSnapshotIndex is the content; empty for the latest.
	ResourceSnapshotIndex string `json:"resourceSnapshotIndex,omitempty"`
	StrategyName          string `json:"stagedRolloutStrategyName"`
	State                 State  `json:"state,omitempty"`
}

// Defaulted is the run with its defaults filled in.
func (r Run) Defaulted() Run {
	if r.State == "" {
		r.State = Initialize
	}
	return r
}

// The enumerations of the CRDs, in their spelling. Each has a Values function, which validators and documentation share.
type (
	// TaskType says what is waited for.
	TaskType string
	// State says what a run is to do.
	State string
	// Phase is where a run or a stage stands.
	Phase string
)

// The values of the enumerations.
const (
	TimedWait TaskType = "TimedWait"
	Approval  TaskType = "Approval"

	Initialize State = "Initialize"
	Started    State = "Run"
	Stop       State = "Stop"

	// PhasePending is a run that the hub has not looked at yet, or a stage that the run has not come to.
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

// Status is how far a run has come.
type Status struct {
	// Generation is that of the run, which conditions are about.
	Generation int64
	// ResourceSnapshotIndex is the content that is rolled out; empty until the run is initialized.
	ResourceSnapshotIndex string
	Conditions            []placement.Condition
	// Stages are in order, the one that removes the placement from clusters that are picked no longer last.
	Stages []StageStatus
}

// StageStatus is how far a stage has come.
type StageStatus struct {
	Name       string
	Conditions []placement.Condition
	Clusters   []ClusterStatus
	Tasks      []TaskStatus
}

// ClusterStatus is how far a cluster of a stage has come.
type ClusterStatus struct {
	Name       string
	Conditions []placement.Condition
}

// TaskStatus is how far a task has come.
type TaskStatus struct {
	Type TaskType
	// Request is the name of the approval request.
	Request    string
	Conditions []placement.Condition
}

// Duration is the wait time; zero if there is none.
func (t Task) Duration() time.Duration {
	d, err := time.ParseDuration(t.WaitTime)
	if err != nil {
		return 0
	}
	return d
}
