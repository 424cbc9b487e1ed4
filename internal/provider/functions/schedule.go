package functions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	scheduler "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

type schedule struct{}

// NewSchedule returns the function schedule.
func NewSchedule() function.Function { return schedule{} }

var decisionTypes = map[string]attr.Type{
	"cluster_name": types.StringType, "selected": types.BoolType, "reason": types.StringType,
	"affinity_score": types.Int64Type, "topology_spread_score": types.Int64Type,
}

// Metadata returns the name of the function.
func (schedule) Metadata(_ context.Context, _ function.MetadataRequest, response *function.MetadataResponse) {
	response.Name = "schedule"
}

// Definition returns the signature and the documentation of the function.
func (schedule) Definition(_ context.Context, _ function.DefinitionRequest, response *function.DefinitionResponse) {
	response.Definition = function.Definition{
		Summary: "Computes which clusters a placement policy picks, and why",
		MarkdownDescription: "Runs the scheduler of placements over the given clusters. It connects to no cluster, so it can be used in `terraform " +
			"test`. Both arguments are JSON, with field names as in `fleet_crp` or as in KubeFleet's API.\n\n" +
			"Clusters are a list of objects. Each object has a `name`. It can also have `labels`, `taints` (`key`, `value`, `effect`), `properties`, " +
			"`resource_usage` (`capacity`, `allocatable`, `available`) and `ineligible`, a reason why the cluster cannot be picked. The policy has " +
			"the form of `policy` of a `fleet_crp`. If both use the same local value, as in `jsonencode(local.policy)`, a test covers the deployed " +
			"policy.\n\nThe result has these attributes:\n\n- " +
			"`selected`: the names of the picked clusters.\n- `fulfilled`: whether the policy picks as many clusters as it requests.\n- `message`: " +
			"the message of the scheduler.\n- `decisions`: for each cluster, its `cluster_name`, whether it is `selected`, the `reason`, and " +
			"`affinity_score` and `topology_spread_score` (null without scores).",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "clusters", MarkdownDescription: "The clusters: `jsonencode([{ name = \"a\", labels = { region = \"east\" } }])`."},
			function.StringParameter{Name: "policy", MarkdownDescription: "The policy: `jsonencode({ placement_type = \"PickN\", number_of_clusters = 1 })`."},
		},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"selected": types.ListType{ElemType: types.StringType}, "fulfilled": types.BoolType, "message": types.StringType,
			"decisions": types.ListType{ElemType: types.ObjectType{AttrTypes: decisionTypes}},
		}},
	}
}

type scheduleResult struct {
	Selected  []string   `tfsdk:"selected"`
	Fulfilled bool       `tfsdk:"fulfilled"`
	Message   string     `tfsdk:"message"`
	Decisions []decision `tfsdk:"decisions"`
}

type decision struct {
	ClusterName         string `tfsdk:"cluster_name"`
	Selected            bool   `tfsdk:"selected"`
	Reason              string `tfsdk:"reason"`
	AffinityScore       *int64 `tfsdk:"affinity_score"`
	TopologySpreadScore *int64 `tfsdk:"topology_spread_score"`
}

// Run runs the function.
func (schedule) Run(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
	var clusters, policy string
	if response.Error = request.Arguments.Get(ctx, &clusters, &policy); response.Error != nil {
		return
	}
	var spec domain.Spec
	in := scheduler.Input{}
	if _, response.Error = decode(0, clusters, &in.Clusters); response.Error != nil {
		return
	}
	isSnakeCase, problem := decode(1, policy, &spec.Policy)
	if response.Error = problem; problem != nil {
		return
	}
	spec = spec.WithoutUnusedParts()
	for _, problem := range domain.Validate(spec) {
		if len(problem.Path) > 0 && problem.Path[0].Attribute == "policy" && !problem.Warning {
			text := problem.String()
			if !isSnakeCase {
				text = snakeCaseName.ReplaceAllStringFunc(text, toCamelCase)
			}
			response.Error = function.NewArgumentFuncError(1, text)
			return
		}
	}
	in.Policy = spec.Defaulted().Policy
	outcome, err := scheduler.Schedule(in)
	if err != nil {
		response.Error = function.NewArgumentFuncError(1, err.Error())
		return
	}
	response.Error = response.Result.Set(ctx, flatten(outcome))
}

var snakeCaseName = regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`)

// decode decodes JSON in snake_case or camelCase. It rejects unknown fields, because the scheduler would ignore a misspelled field and pick other clusters.
// argument is the index of the function's argument, for the error. isSnakeCase reports whether the JSON has a field in snake_case.
func decode(argument int64, text string, into any) (isSnakeCase bool, problem *function.FuncError) {
	var value any
	reader := json.NewDecoder(strings.NewReader(text))
	reader.UseNumber()
	if err := reader.Decode(&value); err != nil {
		return false, function.NewArgumentFuncError(argument, fmt.Sprintf("it is not JSON: %s. Use jsonencode(...)", err))
	}
	value, isSnakeCase = toCamelCaseKeys(value, false)
	plain, err := json.Marshal(value)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(plain))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(into)
	}
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "json: ")
		if isSnakeCase {
			text = toSnakeCaseNames(text)
		}
		return isSnakeCase, function.NewArgumentFuncError(argument, "it is not a valid value: "+text)
	}
	return isSnakeCase, nil
}

func flatten(outcome scheduler.Outcome) scheduleResult {
	out := scheduleResult{Selected: []string{}, Fulfilled: outcome.Fulfilled, Message: outcome.Message, Decisions: []decision{}}
	out.Selected = append(out.Selected, outcome.Selected()...)
	for _, d := range outcome.Decisions {
		flat := decision{ClusterName: d.Cluster, Selected: d.Selected, Reason: d.Reason}
		if d.Score != nil {
			flat.AffinityScore, flat.TopologySpreadScore = new(int64(d.Score.Affinity)), new(int64(d.Score.TopologySpread))
		}
		out.Decisions = append(out.Decisions, flat)
	}
	return out
}
