package convert

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// FromUpdateStrategy encodes the stages of a strategy of either scope.
func FromUpdateStrategy(s stagedupdate.Strategy) v1beta1.StagedUpdateStrategySpec {
	return v1beta1.StagedUpdateStrategySpec{Stages: all(s.Stages, func(s stagedupdate.Stage) v1beta1.StageConfig {
		out := v1beta1.StageConfig{
			Name: s.Name, LabelSelector: s.LabelSelector.DeepCopy(), MaxConcurrency: fromCount(s.MaxConcurrency),
			BeforeStageTasks: each(s.BeforeStageTasks, fromTask), AfterStageTasks: each(s.AfterStageTasks, fromTask),
		}
		if s.SortingLabelKey != "" {
			out.SortingLabelKey = new(s.SortingLabelKey)
		}
		return out
	})}
}

func fromTask(t stagedupdate.Task) v1beta1.StageTask {
	out := v1beta1.StageTask{Type: string(t.Type)}
	if t.WaitTime != "" {
		out.WaitTime = &metav1.Duration{Duration: t.Duration()}
	}
	return out
}

// ToUpdateStrategy decodes the stages of a strategy of either scope.
func ToUpdateStrategy(s v1beta1.StagedUpdateStrategySpec) stagedupdate.Strategy {
	return stagedupdate.Strategy{Stages: all(s.Stages, func(s v1beta1.StageConfig) stagedupdate.Stage {
		out := stagedupdate.Stage{
			Name: s.Name, LabelSelector: s.LabelSelector.DeepCopy(), MaxConcurrency: toCount(s.MaxConcurrency),
			BeforeStageTasks: each(s.BeforeStageTasks, toTask), AfterStageTasks: each(s.AfterStageTasks, toTask),
		}
		if s.SortingLabelKey != nil {
			out.SortingLabelKey = *s.SortingLabelKey
		}
		return out
	})}
}

func toTask(t v1beta1.StageTask) stagedupdate.Task {
	out := stagedupdate.Task{Type: stagedupdate.TaskType(t.Type)}
	if t.WaitTime != nil {
		out.WaitTime = t.WaitTime.Duration.String()
	}
	return out
}

// UpdateStrategyAsWritten does the same as [PlacementAsWritten] for a strategy of staged updates.
func UpdateStrategyAsWritten(stored, written stagedupdate.Strategy) (stagedupdate.Strategy, error) {
	return asWritten(stored, written, defaultedStages, minimalStages)
}

// ImportedUpdateStrategy does the same as [ImportedPlacement] for a strategy of staged updates.
func ImportedUpdateStrategy(u *unstructured.Unstructured, manager string) (stagedupdate.Strategy, error) {
	stored, applied, err := storedAndApplied[v1beta1.ClusterStagedUpdateStrategy](u, manager)
	if err != nil {
		return stagedupdate.Strategy{}, err
	}
	return UpdateStrategyAsWritten(ToUpdateStrategy(stored.Spec), minimalStages(ToUpdateStrategy(applied.Spec)))
}

const oneAtATime = "1"

// defaultedStages returns the stages as a hub stores them, with one notation for all durations.
func defaultedStages(s stagedupdate.Strategy) stagedupdate.Strategy {
	return stagedupdate.Strategy{Stages: each(s.Stages, func(s stagedupdate.Stage) stagedupdate.Stage {
		s.MaxConcurrency = filled(s.MaxConcurrency, oneAtATime)
		s.BeforeStageTasks, s.AfterStageTasks = each(s.BeforeStageTasks, canonicalTask), each(s.AfterStageTasks, canonicalTask)
		return s
	})}
}

func canonicalTask(t stagedupdate.Task) stagedupdate.Task { return toTask(fromTask(t)) }

func minimalStages(s stagedupdate.Strategy) stagedupdate.Strategy {
	return stagedupdate.Strategy{Stages: each(s.Stages, func(s stagedupdate.Stage) stagedupdate.Stage {
		s.MaxConcurrency = without(s.MaxConcurrency, oneAtATime)
		return s
	})}
}

// FromUpdateRun encodes the spec of a run of either scope.
func FromUpdateRun(r stagedupdate.Run) v1beta1.StagedUpdateRunSpec {
	return v1beta1.StagedUpdateRunSpec{
		PlacementName: r.PlacementName, ResourceSnapshotIndex: r.ResourceSnapshotIndex, StagedUpdateStrategyName: r.StrategyName, State: string(r.State),
	}
}

// ToUpdateRun decodes the spec of a run of either scope.
func ToUpdateRun(s v1beta1.StagedUpdateRunSpec) stagedupdate.Run {
	return stagedupdate.Run{
		PlacementName: s.PlacementName, ResourceSnapshotIndex: s.ResourceSnapshotIndex, StrategyName: s.StagedUpdateStrategyName,
		State: stagedupdate.State(s.State),
	}
}

// UpdateRunAsWritten does the same as [PlacementAsWritten] for a run.
func UpdateRunAsWritten(stored, written stagedupdate.Run) (stagedupdate.Run, error) {
	return asWritten(stored, written, stagedupdate.Run.Defaulted, func(r stagedupdate.Run) stagedupdate.Run {
		r.State = without(r.State, stagedupdate.Initialize)
		return r
	})
}

// ImportedUpdateRun does the same as [ImportedPlacement] for a run.
func ImportedUpdateRun(u *unstructured.Unstructured, manager string) (stagedupdate.Run, error) {
	stored, applied, err := storedAndApplied[v1beta1.ClusterStagedUpdateRun](u, manager)
	if err != nil {
		return stagedupdate.Run{}, err
	}
	return UpdateRunAsWritten(ToUpdateRun(stored.Spec), ToUpdateRun(applied.Spec))
}

// UpdateRunStatus decodes the status of a run. The stage that removes the placement from clusters is the last stage of the result, if it has any clusters.
func UpdateRunStatus(r v1beta1.ClusterStagedUpdateRun) stagedupdate.Status {
	out := stagedupdate.Status{
		Generation: r.Generation, ResourceSnapshotIndex: r.Status.ResourceSnapshotIndexUsed, Conditions: conditions(r.Status.Conditions),
		Stages: each(r.Status.StagesStatus, stageStatus),
	}
	if last := r.Status.DeletionStageStatus; last != nil && len(last.Clusters) > 0 {
		out.Stages = append(out.Stages, stageStatus(*last))
	}
	return out
}

func stageStatus(s v1beta1.StageUpdatingStatus) stagedupdate.StageStatus {
	out := stagedupdate.StageStatus{
		Name: s.StageName, Conditions: conditions(s.Conditions),
		Clusters: each(s.Clusters, func(c v1beta1.ClusterUpdatingStatus) stagedupdate.ClusterStatus {
			return stagedupdate.ClusterStatus{Name: c.ClusterName, Conditions: conditions(c.Conditions)}
		}),
	}
	for _, tasks := range [][]v1beta1.StageTaskStatus{s.BeforeStageTaskStatus, s.AfterStageTaskStatus} {
		for _, t := range tasks {
			out.Tasks = append(out.Tasks, stagedupdate.TaskStatus{
				Type: stagedupdate.TaskType(t.Type), Request: t.ApprovalRequestName, Conditions: conditions(t.Conditions),
			})
		}
	}
	return out
}

// ApprovalPatch returns the merge patch that sets the conditions of an approval request. The API server rejects the patch with a conflict if the request has
// changed since it was read with resourceVersion.
func ApprovalPatch(conditions []metav1.Condition, resourceVersion string) ([]byte, error) {
	return json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": resourceVersion}, "status": v1beta1.ApprovalRequestStatus{Conditions: conditions},
	})
}
