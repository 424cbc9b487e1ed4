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

// isUnreachable reports whether the provider could not reach the member: it does not respond, or the provider has no connection to it. A refresh then
// keeps the known values, because the member may be about to be removed. An error of an unreachable hub says nothing about its members, and
// isUnreachable returns false.
func isUnreachable(err error) bool {
	_, unreachable := errors.AsType[*engine.MemberUnreachableError](err)
	return unreachable || isUnconnected(err)
}

func isUnconnected(err error) bool {
	_, missing := errors.AsType[*engine.NotConfiguredError](err)
	return missing
}

// canForget reports whether a member that could not be removed is removed from the state anyway.
func canForget(spec member.Spec, err error) bool {
	if spec.DeleteOptions != nil && spec.DeleteOptions.OnUnreachable == member.FailUnreachable {
		return isUnconnected(err)
	}
	return isUnreachable(err)
}

// warnUnreachable warns about a member that will be removed and is unreachable now, although the provider has a connection to it.
func (r *Resource) warnUnreachable(ctx context.Context, request resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	if request.State.Raw.IsNull() || !request.Plan.Raw.IsNull() || r.session.Applies() || r.session.Preview == session.PreviewOff {
		return
	}
	var data model
	diags.Append(request.State.Get(ctx, &data)...)
	prior := data.expandMember(ctx, request.Private, diags)
	if diags.HasError() {
		return
	}
	_, err := r.session.Engine.ReadMember(ctx, prior.Spec.Name, &prior)
	if unreachable, ok := errors.AsType[*engine.MemberUnreachableError](err); ok {
		removes := !unreachable.Responds && canForget(prior.Spec, err)
		report.UnreachableMember(diags, prior.Spec.Name, err, removes, !unreachable.Responds && !removes, r.session.First)
	}
}

// warnUnconnected warns about a member without a connection, as the engine reports it. If the member is being removed, it is removed from the state
// only. If it stays, it cannot be checked.
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
