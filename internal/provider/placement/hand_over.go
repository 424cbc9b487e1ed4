package placement

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// These arguments name the givers: the placements that hand objects over to this one.
const (
	takesOverFrom        = "takes_over_from"
	takesOverFromRemoved = "takes_over_from_removed"
)

// HandOver names the placements that this one takes objects over from. The operations read the arguments only from the configuration. The state has them so that
// a plan shows when they are added.
type HandOver struct {
	TakesOverFrom        types.Set `tfsdk:"takes_over_from"`
	TakesOverFromRemoved types.Set `tfsdk:"takes_over_from_removed"`
}

// HandOverAttributes returns the schema of HandOver.
func HandOverAttributes() map[string]schema.Attribute {
	names := func(description string) schema.SetAttribute {
		return schema.SetAttribute{
			Optional: true, Computed: true, ElementType: types.StringType, MarkdownDescription: description, PlanModifiers: []planmodifier.Set{keepOmitted{}},
		}
	}
	return map[string]schema.Attribute{
		takesOverFrom: names("Names of other placements of the configuration that hand objects over to this one. A `fleet_resource_placement` is " +
			"named as NAMESPACE/NAME. If this placement places an object that one of them has, it takes the object over without deleting or " +
			"recreating it, regardless of `when_to_take_over`. The resources of the other placements must list this resource in `depends_on`, and " +
			"must no longer place the objects. After the hand-over, the argument has no effect. See the guide [Split, merge and move " +
			"placements](../guides/split-merge-move.md)."),
		takesOverFromRemoved: names("Like `takes_over_from`, for placements that are no longer in the state because of a `removed` block with " +
			"`destroy = false`. Engine `direct`: the provider uses the records of these placements without verification, and removes records that " +
			"become empty. Engine `kubeadmiral`: the provider deletes the propagation policy of a removed placement when no object on the host " +
			"cluster has the label of this policy any more, unless others created the policy. Engine `kubefleet`: not supported."),
	}
}

// keepOmitted keeps the value of the state if the configuration omits the argument, so that the omission alone is not a change. The next change of another
// argument removes the value from the state.
type keepOmitted struct{}

func (keepOmitted) Description(context.Context) string { return "omitting it is not a change" }

func (m keepOmitted) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepOmitted) PlanModifySet(_ context.Context, request planmodifier.SetRequest, response *planmodifier.SetResponse) {
	switch {
	case !request.ConfigValue.IsNull():
	case request.State.Raw.IsNull():
		response.PlanValue = request.ConfigValue
	default:
		response.PlanValue = request.StateValue
	}
}

// planHandOver plans the arguments as configured. The caller calls it only if the plan has another change.
func planHandOver(ctx context.Context, config tfsdk.Config, response *resource.ModifyPlanResponse) {
	configured := readHandOver(ctx, config, &response.Diagnostics)
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root(takesOverFrom), configured.TakesOverFrom)...)
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root(takesOverFromRemoved), configured.TakesOverFromRemoved)...)
}

func readHandOver(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) HandOver {
	var out HandOver
	diags.Append(config.GetAttribute(ctx, path.Root(takesOverFrom), &out.TakesOverFrom)...)
	diags.Append(config.GetAttribute(ctx, path.Root(takesOverFromRemoved), &out.TakesOverFromRemoved)...)
	return out
}

// parseNames returns the known names, sorted and without duplicates. known is false if a name is unknown.
func parseNames(in types.Set) (out []string, known bool) {
	if in.IsUnknown() {
		return nil, false
	}
	known = true
	for _, element := range in.Elements() {
		text, is := element.(types.String)
		switch {
		case !is, text.IsNull(): // a conditional expression omits a name with null
		case text.IsUnknown():
			known = false
		default:
			out = append(out, text.ValueString())
		}
	}
	slices.Sort(out)
	return slices.Compact(out), known
}

// ValidateGivers validates the known names. namespace and own identify the placement itself and may be unknown.
func (h HandOver) ValidateGivers(namespace, own types.String, diags *diag.Diagnostics) {
	from, _ := parseNames(h.TakesOverFrom)
	removed, _ := parseNames(h.TakesOverFromRemoved)
	for attribute, given := range map[string][]string{takesOverFrom: from, takesOverFromRemoved: removed} {
		for _, name := range given {
			if problem := validateGiver(name); problem != "" {
				diags.AddAttributeError(path.Root(attribute), "Invalid name of a placement", fmt.Sprintf("%q is not a valid name: %s.", name, problem))
			}
			if itself := (engine.Reference{Namespace: namespace.ValueString(), Name: own.ValueString()}); !own.IsNull() && name == itself.String() && !namespace.IsUnknown() {
				diags.AddAttributeError(path.Root(attribute), "A placement takes objects over from itself", fmt.Sprintf("%s names %q, which is this placement. "+
					"Name the placement that has the objects now.", attribute, name))
			}
		}
	}
	for _, name := range from {
		if slices.Contains(removed, name) {
			diags.AddAttributeError(path.Root(takesOverFromRemoved), "A placement is named twice", fmt.Sprintf("%s and %s both name %q. Leave it in %s if a "+
				"resource of this configuration manages it, or destroys it in this run; leave it in %s otherwise.",
				takesOverFrom, takesOverFromRemoved, name, takesOverFrom, takesOverFromRemoved))
		}
	}
}

func validateGiver(name string) string {
	reference := engine.ParseReference(name)
	if strings.Contains(name, "/") && reference.Namespace == "" {
		return "the namespace is missing before the slash"
	}
	if problem := naming.Subdomain(reference.Name); problem != "" || reference.Namespace == "" {
		return problem
	}
	return naming.Label(reference.Namespace)
}

// Givers returns the givers. It adds an error for an unknown name, because the plans have to show what happens to the objects.
func (h HandOver) Givers(diags *diag.Diagnostics) []engine.Giver {
	var out []engine.Giver
	for _, arg := range []struct {
		attribute string
		in        types.Set
		removed   bool
	}{{takesOverFrom, h.TakesOverFrom, false}, {takesOverFromRemoved, h.TakesOverFromRemoved, true}} {
		given, known := parseNames(arg.in)
		if !known {
			diags.AddAttributeError(path.Root(arg.attribute), "The name of a placement is known only after apply", "The plan has to show which "+
				"objects each placement hands over. Set the names in "+arg.attribute+" to values that are known during the plan.")
		}
		for _, name := range given {
			out = append(out, engine.Giver{Name: name, Removed: arg.removed})
		}
	}
	return out
}

func (m Model) givers(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) []engine.Giver {
	return readHandOver(ctx, config, diags).Givers(diags)
}

// takeTurns waits until no other resource of the run changes this placement, or one that it takes objects over from. Until the caller calls end, the other
// resources wait for this one.
func (m Model) takeTurns(ctx context.Context, shared *session.Session, from []engine.Giver) (end func(), err error) {
	turns := []string{m.key()}
	for _, giver := range from {
		turns = append(turns, giver.Name)
	}
	return shared.TakeTurns(ctx, turns...)
}

// planTakeover records what this placement takes over from others. It adds errors for hand-overs that contradict the plans made so far in the run. preview is
// nil if no cluster was checked.
func (m Model) planTakeover(shared *session.Session, from []engine.Giver, preview *engine.Preview, diags *diag.Diagnostics) {
	planned := shared.PlanTakeover(m.key(), from, preview)
	if shared.Applies() { // the plan that is being applied was checked
		return
	}
	for _, giver := range from {
		if giver.Removed && shared.IsPlanned(giver.Name) {
			report.NotRemoved(diags, m.key(), giver.Name)
			shared.RefuseHandOver(m.key(), giver.Name)
			continue
		}
		taker := engine.NewTaker(m.key(), giver, preview)
		former, is, renamed := shared.PlannedRename(giver.Name)
		if renamed && (giver.Name == is || taker.Any()) {
			report.RenamedGiver(diags, m.key(), former, is)
			shared.RefuseHandOver(m.key(), is)
			continue
		}
		for _, other := range shared.Takers(giver.Name) {
			if duplicates := taker.Shared(other); other.Name != m.key() && len(duplicates) > 0 {
				report.TakenTwice(diags, m.key(), other.Name, giver.Name, duplicates)
				shared.RefuseHandOver(m.key(), other.Name)
			}
		}
		if giverPlan, found := planned[giver.Name]; found && taker.TakesAny() {
			report.PlannedBefore(diags, m.key(), giver.Name, giverPlan.Removal, taker.Overlaps(giverPlan.Placed))
			shared.RefuseHandOver(m.key(), giver.Name)
		}
	}
}

// planGiving records what the plan of this placement, or of its removal, shows. removal reports whether it is a removal, and changes whether the placement
// changes. known are the takers for which the preview was made; further takers may have been planned since.
//
// planGiving adds an error for each taker that is already planned and cannot take over its objects, because this placement still places them or its preview
// does not show the hand-over. It also adds an error if takes_over_from_removed of a taker names this placement. For objects that are deleted although another
// placement lists them, it adds an error or a warning.
func (m Model) planGiving(shared *session.Session, preview *engine.Preview, known engine.Takers, removal, changes bool, diags *diag.Diagnostics) {
	losses, takers := shared.PlanObjects(m.key(), preview, removal, changes)
	if shared.Applies() {
		return
	}
	for _, loss := range losses {
		loss.Renames = loss.Renames && canRename(shared)
		report.Lost(diags, loss)
		if !loss.Unchanged {
			shared.RefuseHandOver(loss.Taker, loss.Giver)
		}
	}
	placed := preview.Placed()
	for _, taker := range takers {
		before := diags.ErrorsCount()
		switch overlaps := taker.Overlaps(placed); {
		case taker.Removed:
			report.NotRemoved(diags, taker.Name, m.key())
		case len(overlaps) > 0 && !removal:
			report.StillPlaced(diags, taker.Name, m.key(), overlaps)
		case taker.TakesAny() && !known.Has(taker.Name):
			report.PlannedBefore(diags, taker.Name, m.key(), removal, nil)
		}
		if diags.ErrorsCount() > before {
			shared.RefuseHandOver(taker.Name, m.key())
		}
	}
}

// rejectRenamedGiver adds an error if this placement is renamed and another one takes objects over from it in the same run. The records on the members have the
// former name, so the plans of the two placements would not agree on what is deleted.
func (m Model) rejectRenamedGiver(shared *session.Session, former string, diags *diag.Diagnostics) {
	if former == "" || shared.Applies() {
		return
	}
	shared.PlanRename(former, m.key()) // for a taker that is planned after this placement
	for _, taker := range shared.Takers(former) {
		if taker.Any() {
			report.RenamedGiver(diags, taker.Name, former, m.key())
			shared.RefuseHandOver(taker.Name, m.key())
			return
		}
	}
	if takers := shared.Takers(m.key()); len(takers) > 0 { // no record has the new name yet, so these takers find no objects
		report.RenamedGiver(diags, takers[0].Name, former, m.key())
		shared.RefuseHandOver(takers[0].Name, m.key())
	}
}
