package placementpreview

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/taint"
)

type assumptionModel struct {
	State  types.String `tfsdk:"state"`
	Labels types.Map    `tfsdk:"labels"`
	Taints types.Set    `tfsdk:"taints"`
}

type assumptions map[string]report.Assumption

// assumptions returns the assumptions about members, by the name of the member. The configuration must be known.
func (m *model) assumptions(ctx context.Context, diags *diag.Diagnostics) assumptions {
	out := assumptions{}
	for name, a := range convert.FromMap[assumptionModel](ctx, m.Assume, diags) {
		out[name] = report.Assumption{
			Member: name, State: engine.Assumption(a.State.ValueString()), Labels: convert.FromMap[string](ctx, a.Labels, diags),
			Taints: convert.Each(convert.FromSet[taint.Model](ctx, a.Taints, diags), taint.Model.Expand),
		}
	}
	return out
}

func (m *model) validateAssumptions(ctx context.Context, diags *diag.Diagnostics) {
	raw, err := m.Assume.ToTerraformValue(ctx)
	if err != nil || !raw.IsFullyKnown() {
		return
	}
	all := m.assumptions(ctx, diags)
	for _, name := range all.names() {
		a := all[name]
		problems := member.Validate(a.Spec())
		add := func(format string, args ...any) {
			problems = append(problems, domain.Problem{Message: fmt.Sprintf(format, args...)})
		}
		describes := a.Labels != nil || a.Taints != nil
		switch {
		case describes && (a.State == engine.AssumeGone || a.State == engine.AssumeUnreachable):
			add("state = %q cannot be combined with labels or taints: they have no effect on a member in this state. Remove them", a.State)
		case a.State == "" && !describes:
			add("it assumes nothing. Set state, labels or taints")
		}
		for _, problem := range problems {
			addProblem(diags, name, problem.Path, problem.Message)
		}
	}
}

// addProblem adds an error about the assumption for a member. The text of the error has the whole path.
func addProblem(diags *diag.Diagnostics, name string, at domain.Path, text string) {
	where := append(domain.At("assume").Key(name), at...).String()
	diags.AddAttributeError(path.Root("assume"), "Invalid assumption", printable.Line(where+": "+strings.TrimSuffix(text, "."))+".")
}

func (a assumptions) names() []string { return slices.Sorted(maps.Keys(a)) }

func (a assumptions) list() []report.Assumption {
	out := make([]report.Assumption, 0, len(a))
	for _, name := range a.names() {
		out = append(out, a[name])
	}
	return out
}

type fleet interface {
	ReadMember(ctx context.Context, name string, prior *engine.Member) (engine.Member, error)
	ListMembers(ctx context.Context) ([]engine.ListedMember, error)
}

// world returns the planned changes of the run, and the assumptions. An assumption takes precedence over the plan of the same member.
func (a assumptions) world(ctx context.Context, members fleet, run engine.World, diags *diag.Diagnostics) engine.World {
	out := run.With(engine.World{})
	for _, name := range a.names() {
		assumed := a[name]
		found, err := registrationOf(ctx, members, name)
		if err != nil {
			report.Error(diags, path.Root("assume"), fmt.Sprintf("The member %q cannot be read", name), err)
			continue
		}
		planned, isPlanned := run.Members[name]
		joins := isPlanned && planned.Want != nil
		out.Assumed[name] = assumed.State
		switch {
		case assumed.State == engine.AssumeNew && found.exists():
			addProblem(diags, name, nil, "the member is registered already. Remove state to assume other labels or taints")
		case assumed.State == engine.AssumeNew:
			out.Members[name] = engine.Planned[member.Spec]{Want: new(assumed.Spec())}
		case !found.exists() && !joins:
			addProblem(diags, name, nil, unknownMember(ctx, members, run, name))
		case assumed.State == engine.AssumeUnreachable:
		case assumed.State == engine.AssumeGone && !found.exists(): // the run registers the member, and has not done so yet
			delete(out.Members, name)
			delete(out.Assumed, name)
		case assumed.State == engine.AssumeGone && found.unreadable != nil:
			addProblem(diags, name, nil, "the member could not be read, so the preview cannot show what happens to its objects. To assume that it does not respond, "+
				"set state = \""+string(engine.AssumeUnreachable)+"\": "+found.unreadable.Error())
		case assumed.State == engine.AssumeGone:
			out.Members[name] = engine.Planned[member.Spec]{Was: found.spec}
		case found.unreadable != nil && !joins:
			addProblem(diags, name, nil, "the labels and taints of the member are stored on its cluster, which could not be read: "+found.unreadable.Error())
		default:
			out.Members[name] = changeOf(assumed, planned, found.spec)
		}
	}
	return out
}

// changeOf returns the change of a member to the assumed labels and taints, on top of the change that the run plans.
func changeOf(a report.Assumption, planned engine.Planned[member.Spec], registered *member.Spec) engine.Planned[member.Spec] {
	out := engine.Planned[member.Spec]{Was: registered}
	base := registered
	if planned.Want != nil {
		out.Was, base = planned.Was, planned.Want
	}
	want := *base
	if a.Labels != nil {
		want.Labels = a.Labels
	}
	if a.Taints != nil {
		want.Taints = a.Taints
	}
	out.Want = &want
	return out
}

type registration struct {
	// spec is nil if the member is not registered or could not be read. unreadable is the reason why a member to which the provider has a connection could not be read.
	spec       *member.Spec
	unreadable error
}

func (r registration) exists() bool { return r.spec != nil || r.unreadable != nil }

func registrationOf(ctx context.Context, members fleet, name string) (registration, error) {
	found, err := members.ReadMember(ctx, name, nil)
	if err == nil {
		return registration{spec: &found.Spec}, nil
	}
	_, isUnconnected := errors.AsType[*engine.NotConfiguredError](err)
	_, isUnreachable := errors.AsType[*engine.MemberUnreachableError](err)
	switch {
	case isUnconnected, errors.Is(err, engine.ErrNotFound):
		return registration{}, nil
	case isUnreachable:
		return registration{unreadable: err}, nil
	}
	return registration{}, err
}

func unknownMember(ctx context.Context, members fleet, run engine.World, name string) string {
	var known []string
	if listed, err := members.ListMembers(ctx); err == nil {
		for _, m := range listed {
			if m.Joined || m.Err != nil {
				known = append(known, m.Spec.Name)
			}
		}
	}
	for other, planned := range run.Members {
		if planned.Want != nil && !slices.Contains(known, other) {
			known = append(known, other)
		}
	}
	slices.Sort(known)
	text := fmt.Sprintf("the fleet has no member %q", name)
	if len(known) > 0 {
		text += ". Its members are " + words.List(known, len(known))
	}
	return text + ". To assume a new member, set state = \"" + string(engine.AssumeNew) + "\""
}

// assume replaces the preview with one under assumptions. It does nothing without assumptions, or without a preview.
func (r *result) assume(ctx context.Context, shared *session.Session, all assumptions, diags *diag.Diagnostics) error {
	if len(all) == 0 || r.missing != "" {
		return nil
	}
	actual := r.preview
	r.options.World, r.options.Unchanged = all.world(ctx, shared.Engine, shared.World(), diags), false
	r.options.Expected = nil // expected_preview approves the actual preview, and would reject the changes that the assumptions cause
	if diags.HasError() {
		return nil
	}
	var err error
	if r.preview, err = shared.Engine.Preview(ctx, r.desired, r.options); err != nil {
		return err
	}
	if err = r.assumeRemoval(ctx, shared); err != nil {
		return err
	}
	shared.Yield(r.preview, r.strategy)
	r.complete(r)
	r.assumed, r.moves = all.list(), report.NewMoves(r.preview, actual)
	return nil
}

// assumeRemoval replaces the preview of the removal with one under the assumptions that r.preview has. It does nothing if there is no removal.
func (r *result) assumeRemoval(ctx context.Context, shared *session.Session) error {
	if r.removal == nil {
		return nil
	}
	assumed := *r.removal
	assumed.Options.World = r.options.World.Assumptions()
	var err error
	if assumed.Preview, err = shared.Engine.PreviewDelete(ctx, assumed.Placement, assumed.Options); err != nil {
		return err
	}
	r.removal = &assumed
	r.preview.Recreate(assumed.Preview)
	return nil
}
