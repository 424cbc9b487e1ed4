package stagedupdate

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/timeout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

var requiresReplace = []planmodifier.String{stringplanmodifier.RequiresReplace()}

func nameAttribute(of string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, MarkdownDescription: "Name of the " + of + ".", Validators: []validator.String{validate.ObjectName()}, PlanModifiers: requiresReplace,
	}
}

// runNameAttribute returns the schema of a run's name. The name is shorter than other names, because it is also the value of a label.
func runNameAttribute() schema.StringAttribute {
	out := nameAttribute("run, at most 63 characters")
	out.Validators = []validator.String{validate.ShortName()}
	return out
}

func namespaceAttribute(of, placements string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, MarkdownDescription: "Namespace of the " + of + ", for " + placements + ". Omit it for `fleet_crp`.",
		Validators: []validator.String{validate.Namespace()}, PlanModifiers: requiresReplace,
	}
}

// Schema returns the schema of fleet_staged_update_strategy.
func (strategyNoun) Schema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The stages through which a [`fleet_staged_update_run`](staged_update_run.md) takes a placement: KubeFleet's " +
			"`ClusterStagedUpdateStrategy`, or `StagedUpdateStrategy` in a namespace. Each cluster that the placement picks must be in one of the " +
			"stages. A run copies the strategy when the run is initialized, so a change of the strategy affects only later runs. Engine `kubefleet` only.",
		Attributes: map[string]schema.Attribute{
			"name":      nameAttribute("strategy"),
			"namespace": namespaceAttribute("strategy", "runs of `fleet_resource_placement`s there"),
			"stages":    stagesAttribute(),
		},
	}
}

func stagesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Required: true, MarkdownDescription: "The stages, in order. 1 to 31.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the stage: lower-case letters and digits, at most 63."},
			"label_selector": labelselector.Optional("The clusters of the stage, by their labels. A stage without a selector has no clusters. " +
				"An empty selector selects all clusters."),
			"sorting_label_key": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Key of a cluster label. The clusters of the stage are updated in the order of this label's value, " +
					"which must be a whole number. Every cluster of the stage must have the label. The default is the order of the names.",
			},
			"max_concurrency": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Maximum number of clusters of the stage that change at the same time: a number, or a " +
					"percentage, which is rounded down, but not below 1. The default is 1.",
			},
			"before_stage_tasks": tasksAttribute("Task before the stage. At most one.", "`Approval`.", "Not valid before a stage."),
			"after_stage_tasks": tasksAttribute("Tasks after the stage, in parallel. At most one of each type.", enum.OneOf[domain.TaskType]()+".",
				"How long a `TimedWait` waits, such as `1h30m`."),
		}},
	}
}

func tasksAttribute(description, types, waitTime string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"type": schema.StringAttribute{
				Required: true, MarkdownDescription: types + " The action [`fleet_stage_approval`](../actions/stage_approval.md) approves.",
			},
			"wait_time": schema.StringAttribute{Optional: true, MarkdownDescription: waitTime},
		}},
	}
}

// Schema returns the schema of fleet_staged_update_run.
func (runNoun) Schema(ctx context.Context) schema.Schema {
	const limit = "How long to follow the run, such as `2h`. The default is 30 minutes."
	return schema.Schema{
		Version: 1,
		MarkdownDescription: "Rolls out one version of a placement's content in stages: KubeFleet's `ClusterStagedUpdateRun`, or `StagedUpdateRun` in " +
			"a namespace. The `strategy.type` of the placement must be `External`. Engine `kubefleet` only.\n\nAn apply follows the run until it has " +
			"ended or waits for an approval. The action [`fleet_stage_approval`](../actions/stage_approval.md) approves and continues to follow the " +
			"run. If the run fails, the apply returns an error, and the next apply replaces the run: a hub never resumes a failed run. Destroying a " +
			"run changes nothing on the clusters.\n\nTo roll out another version of the content, create a run with another name.",
		Attributes: map[string]schema.Attribute{
			"name":           runNameAttribute(),
			"namespace":      namespaceAttribute("run", "a `fleet_resource_placement` there"),
			"placement_name": nameAttribute("placement"),
			"resource_snapshot_index": schema.StringAttribute{
				Optional: true, PlanModifiers: requiresReplace, Validators: []validator.String{validate.String("index of a snapshot", domain.ValidateSnapshotIndex)},
				MarkdownDescription: "Index of the resource snapshot on the hub that contains the content to roll out. To roll back, set an earlier " +
					"index. The default is the latest snapshot: `status.resource_snapshot_index` has its index.",
			},
			"staged_rollout_strategy_name": nameAttribute("`fleet_staged_update_strategy`"),
			"state": schema.StringAttribute{
				Optional: true, Validators: enum.Validators[domain.State](), MarkdownDescription: "Requested state of the run: " + enum.OneOfWithDefault[domain.State]() +
					". `Initialize` assigns the clusters to the stages and starts nothing. `Run` starts the run. With `Stop`, the run updates no " +
					"further clusters, and updates in progress continue to their end. `Run` then continues with the remaining clusters.",
			},
			"wait":     waitAttribute(),
			"timeouts": timeout.Attribute(ctx, timeouts.Opts{Create: true, CreateDescription: limit, Update: true, UpdateDescription: limit}),
			"status":   statusAttribute(),
		},
	}
}

func statusAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "Progress of the run.",
		Attributes: map[string]schema.Attribute{
			"phase": schema.StringAttribute{Computed: true, MarkdownDescription: "Phase of the run: " + enum.OneOf[domain.Phase]() +
				"."},
			"resource_snapshot_index": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Index of the resource snapshot that the run rolls out; empty until the run is initialized.",
			},
			"conditions": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Conditions by type (`Initialized`, `Progressing`, `Succeeded`): `True`, or status and reason.",
			},
			"stages": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Progress of each stage, by its name, such as " +
					"`Waiting (3 of 3 clusters), awaits the approval web-after-canary`. The last one, " +
					"`kubernetes-fleet.io/deleteStage`, removes the placement from clusters that are no longer picked.",
			},
		},
	}
}
