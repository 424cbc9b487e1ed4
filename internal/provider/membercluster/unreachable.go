package membercluster

import (
	"context"
	"errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// isUnreachable reports whether nothing can be read from the cluster of the member, or the provider has no connection to the cluster. A refresh then keeps the
// known values, because the member may be about to be removed. For the error of an unreachable hub, isUnreachable returns false.
func isUnreachable(err error) bool {
	_, unreachable := errors.AsType[*engine.MemberUnreachableError](err)
	return unreachable || isUnconnected(err)
}

func isUnconnected(err error) bool {
	_, missing := errors.AsType[*engine.NotConfiguredError](err)
	return missing
}

// canRemoveFromState reports whether a destroy that returned err still removes the member from the state.
func canRemoveFromState(spec member.Spec, err error) bool {
	if spec.DeleteOptions != nil && spec.DeleteOptions.OnUnreachable == member.FailUnreachable {
		return isUnconnected(err)
	}
	return isUnreachable(err)
}

// warnUnreachable warns about a member that will be removed and from which nothing can be read now, although the provider has a connection to it.
func warnUnreachable(ctx context.Context, p *object.Plan[model], known model) {
	if !p.IsDestroy() || p.Session.Applies() || p.Session.Preview == session.PreviewOff {
		return
	}
	diags := &p.Response.Diagnostics
	prior := known.expandMember(ctx, object.NewCall(ctx, p.Session, p.Request.Private, diags), diags)
	if diags.HasError() {
		return
	}
	_, err := p.Session.Engine.ReadMember(ctx, prior.Spec.Name, &prior)
	if unreachable, ok := errors.AsType[*engine.MemberUnreachableError](err); ok {
		removes := !unreachable.Responds && canRemoveFromState(prior.Spec, err)
		report.UnreachableMember(diags, prior.Spec.Name, err, removes, !unreachable.Responds && !removes, p.Session.First)
	}
}

// warnUnconnected warns about a member to which the engine needs a connection and the provider has none. If the plan destroys the resource, the warning says
// that the member is removed only from the state; there is no warning if the engine can remove the member from the fleet. If the plan keeps the member, the
// warning says that the member could not be checked.
func warnUnconnected(p *object.Plan[model], prior model) {
	name := prior.Name.ValueString()
	for _, limitation := range p.Session.Engine.CheckMember(member.Spec{Name: name}) {
		if !limitation.Ignored && (!p.IsDestroy() || !limitation.Removable) {
			report.UnconnectedMember(&p.Response.Diagnostics, name, limitation, p.IsDestroy())
		}
	}
}
