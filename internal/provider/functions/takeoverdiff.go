package functions

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/difference"
)

type takeoverDiff struct{}

// builtInKinds returns the schema of the built-in kinds. It reads the schema only once, because a configuration can call the function many times.
var builtInKinds = sync.OnceValue(objectschema.New)

// NewTakeoverDiff returns the function takeover_diff.
func NewTakeoverDiff() function.Function { return takeoverDiff{} }

var (
	takeoverDecisionTypes = map[string]attr.Type{"action": types.StringType, "obstacle": types.StringType, "reason": types.StringType, "message": types.StringType}
	takeoverDiffTypes     = map[string]attr.Type{
		"equal":          types.BoolType,
		"differences":    types.ListType{ElemType: types.ObjectType{AttrTypes: difference.Types}},
		"observed_diffs": types.ListType{ElemType: types.ObjectType{AttrTypes: difference.PatchDetailTypes}},
		"owner":          types.ObjectType{AttrTypes: difference.OwnerTypes},
		"decisions":      types.MapType{ElemType: types.ObjectType{AttrTypes: takeoverDecisionTypes}},
	}
)

type takeoverDiffResult struct {
	Equal         bool                        `tfsdk:"equal"`
	Differences   []difference.Difference     `tfsdk:"differences"`
	ObservedDiffs []difference.PatchDetail    `tfsdk:"observed_diffs"`
	Owner         difference.Owner            `tfsdk:"owner"`
	Decisions     map[string]takeoverDecision `tfsdk:"decisions"`
}

type takeoverDecision struct {
	Action   string `tfsdk:"action"`
	Obstacle string `tfsdk:"obstacle"`
	Reason   string `tfsdk:"reason"`
	Message  string `tfsdk:"message"`
}

// Metadata returns the name of the function.
func (takeoverDiff) Metadata(_ context.Context, _ function.MetadataRequest, response *function.MetadataResponse) {
	response.Name = "takeover_diff"
}

// Definition returns the signature and the documentation of the function.
func (takeoverDiff) Definition(_ context.Context, _ function.DefinitionRequest, response *function.DefinitionResponse) {
	response.Definition = function.Definition{
		Summary: "Compares an object on a cluster with the object to be placed, and decides its takeover",
		MarkdownDescription: "Compares an object to be placed with the object on a member, by the rules for takeovers. The function connects to no " +
			"cluster, so you can use it in `terraform test`, with the output of `kubectl get -o yaml`. The result has these attributes:\n\n- `equal`: " +
			"whether the objects are equal under the comparison `option`.\n- `differences`: each has the `field`, its JSON pointer `path`, the values " +
			"`in_hub` and `in_member` as JSON (null if absent), and the `manager` that wrote the member's value.\n- `observed_diffs`: the same " +
			"differences in the form of KubeFleet's status.\n- `owner`: the owner of the member's object, with `kind`, `name`, and a `text` for " +
			"display.\n- `decisions`: the decision for each value of `when_to_take_over`. It has the `action` (`create`, `take_over` or " +
			"`leave_alone`) and the `obstacle` in one word. If the object is not taken over, it also has the `reason` and the `message` of the " +
			"status.\n\nThe decisions apply to an object that does not belong to the placement, without `allow_co_ownership`.\n\nOn a cluster, a " +
			"partial comparison uses a dry run of the API server, which applies defaults and admission rules; this function applies neither. The " +
			"result contains no values of Secrets.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "hub", MarkdownDescription: "The object to be placed, as YAML or JSON. If it has a `metadata.uid`, it is " +
				"an object on a hub, and is compared without the addresses and ports that the hub has allocated."},
			function.StringParameter{Name: "member", MarkdownDescription: "The object on the member, as YAML or JSON; `\"\"` if it does not exist."},
			function.StringParameter{Name: "option", MarkdownDescription: "Which fields count: those that the placed object sets (`PartialComparison`) or all " +
				"(`FullComparison`). The spellings `partialComparison` and `fullComparison` are also accepted."},
		},
		Return: function.ObjectReturn{AttributeTypes: takeoverDiffTypes},
	}
}

// Run runs the function.
func (takeoverDiff) Run(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
	var hubText, memberText, optionText string
	if response.Error = request.Arguments.Get(ctx, &hubText, &memberText, &optionText); response.Error != nil {
		return
	}
	hub, problem := parseOne(0, "hub", hubText)
	if response.Error = problem; problem != nil {
		return
	}
	var member *manifest.Object
	if memberText != "" {
		if member, response.Error = parseOne(1, "member", memberText); response.Error != nil {
			return
		}
		if hub.Key() != member.Key() {
			response.Error = function.NewArgumentFuncError(1, fmt.Sprintf("it must be the same object as in the argument hub: it is %s instead of %s", member, hub))
			return
		}
	}
	option, known := placement.ParseComparisonOption(optionText)
	if !known {
		response.Error = function.NewArgumentFuncError(2, fmt.Sprintf("%q is neither PartialComparison nor FullComparison", optionText))
		return
	}
	desired := hub.Content
	if desired.GetUID() != "" { // an object from a hub is placed without the fields that the hub's API server and controllers have added
		desired = selection.Strip(desired)
	}
	response.Error = response.Result.Set(ctx, compareTakeover(desired, member, option))
}

func parseOne(argument int64, source, text string) (*manifest.Object, *function.FuncError) {
	objects, err := manifest.Parse(source, text)
	switch {
	case err != nil:
		return nil, function.NewArgumentFuncError(argument, err.Error())
	case len(objects) != 1:
		return nil, function.NewArgumentFuncError(argument, fmt.Sprintf("the text has %d objects, and exactly one is required", len(objects)))
	}
	return &objects[0], nil
}

func compareTakeover(desired *unstructured.Unstructured, member *manifest.Object, option placement.ComparisonOption) takeoverDiffResult {
	in := takeover.Input{}
	owner := takeover.Owner{}
	found := &diff.Comparison{}
	if member != nil {
		in.Live = member.Content
		owner = takeover.OwnerOf(in.Live, takeover.Ours{})
		if owner.Exclusive {
			in.ForeignPlacement = owner.String()
		}
		in.OwnerReferences = takeover.OwnerReferences(in.Live, takeover.Ours{})
		switch option {
		case placement.FullComparison:
			found = diff.Full(builtInKinds(), desired, in.Live)
		case placement.PartialComparison:
			found = diff.Partial(builtInKinds(), desired, in.Live)
			found.Patches = diff.Details(found.Differences)
		}
		in.Comparison = found
	}
	out := takeoverDiffResult{
		Equal: member != nil && !found.Differs(), Differences: difference.Flatten(found.All()),
		ObservedDiffs: difference.FlattenPatchDetails(found.Patches), Owner: difference.FlattenOwner(owner), Decisions: map[string]takeoverDecision{},
	}
	for _, when := range placement.WhenToTakeOver("").Values() {
		in.Strategy = placement.ApplyStrategy{ComparisonOption: option, WhenToTakeOver: placement.WhenToTakeOver(when)}
		decision := takeover.Decide(in)
		out.Decisions[when] = takeoverDecision{
			Action: string(decision.Action), Obstacle: string(decision.Obstacle), Reason: decision.Reason, Message: decision.Message(),
		}
	}
	return out
}
