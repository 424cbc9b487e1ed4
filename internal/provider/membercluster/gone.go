package membercluster

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// cannotAnswer tells whether an error says that the member could not be asked, rather than what it answered: it does not answer, or there
// is no connection to it. A refresh then keeps what is known, since the member may be about to be removed. A hub that does not answer says nothing
// of its members.
func cannotAnswer(err error) bool {
	_, unreachable := errors.AsType[*engine.MemberUnreachableError](err)
	return unreachable || unconnected(err)
}

func unconnected(err error) bool {
	_, missing := errors.AsType[*engine.NotConfiguredError](err)
	return missing
}

// forgets tells whether a member that could not be removed is taken out of the state all the same.
func forgets(spec member.Spec, err error) bool {
	if spec.DeleteOptions != nil && spec.DeleteOptions.OnUnreachable == member.FailUnreachable {
		return unconnected(err)
	}
	return cannotAnswer(err)
}

// warnUnreachable warns of a member that is to be removed and cannot be reached now, though the provider has a connection to it.
func (r *Resource) warnUnreachable(ctx context.Context, request resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	if request.State.Raw.IsNull() || !request.Plan.Raw.IsNull() || r.session.Applies() || r.session.Preview == session.PreviewOff {
		return
	}
	var data model
	diags.Append(request.State.Get(ctx, &data)...)
	prior := data.member(ctx, request.Private, diags)
	if diags.HasError() {
		return
	}
	_, err := r.session.Engine.ReadMember(ctx, prior.Spec.Name, &prior)
	if unreachable, is := errors.AsType[*engine.MemberUnreachableError](err); is {
		removes := !unreachable.Responds && forgets(prior.Spec, err)
		report.UnreachableMember(diags, prior.Spec.Name, err, removes, !unreachable.Responds && !removes, r.session.First)
	}
}

// warnUnconnected warns of a member that the provider has no connection to, which is the engine's to tell: one that is to be removed is
// forgotten, one that is to stay cannot be looked at.
func (r *Resource) warnUnconnected(ctx context.Context, state tfsdk.State, removing bool, diags *diag.Diagnostics) {
	if state.Raw.IsNull() {
		return
	}
	var data model
	diags.Append(state.Get(ctx, &data)...)
	if diags.HasError() {
		return
	}
	for _, limitation := range r.session.Engine.CheckMember(member.Spec{Name: data.Name.ValueString()}) {
		if !limitation.Ignored && (!removing || !limitation.Removable) {
			report.UnconnectedMember(diags, data.Name.ValueString(), limitation, removing)
		}
	}
}
