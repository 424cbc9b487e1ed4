package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// Plan is the plan of one resource. Its methods add their errors to the diagnostics of the response.
type Plan[M any] struct {
	// Session is nil before the provider is configured.
	Session  *session.Session
	Request  resource.ModifyPlanRequest
	Response *resource.ModifyPlanResponse
	noun     Noun[M]
}

// IsCreate reports whether the state has no object.
func (p *Plan[M]) IsCreate() bool { return p.Request.State.Raw.IsNull() }

// IsDestroy reports whether the object is to be destroyed.
func (p *Plan[M]) IsDestroy() bool { return p.Request.Plan.Raw.IsNull() }

// IsUnchanged reports whether the configuration changes nothing in the state.
func (p *Plan[M]) IsUnchanged() bool { return p.Request.Plan.Raw.Equal(p.Request.State.Raw) }

// Engine returns the engine, or nil as long as the provider configuration is unknown.
func (p *Plan[M]) Engine() engine.Engine {
	if p.Session == nil {
		return nil
	}
	return p.Session.Engine
}

// Prior returns the object in the state, or nil if there is none.
func (p *Plan[M]) Prior(ctx context.Context) *M {
	if p.IsCreate() {
		return nil
	}
	return new(get(ctx, p.noun, p.Request.State, &p.Response.Diagnostics))
}

// Planned returns the planned object with the attributes that were set so far, or nil if the object is to be destroyed.
func (p *Plan[M]) Planned(ctx context.Context) *M {
	if p.IsDestroy() {
		return nil
	}
	return new(get(ctx, p.noun, p.Response.Plan, &p.Response.Diagnostics))
}

// Set plans the value of an attribute.
func (p *Plan[M]) Set(ctx context.Context, attribute string, value any) {
	p.Response.Diagnostics.Append(p.Response.Plan.SetAttribute(ctx, path.Root(attribute), value)...)
}

// DropRepeated removes the warnings that the user has already seen in the plan that is being applied.
func (p *Plan[M]) DropRepeated() {
	p.Response.Diagnostics = p.Session.UnreportedDiagnostics(p.Response.Diagnostics)
}

// Hub has the additional methods of a [Noun] whose objects only some hubs serve.
type Hub[M any] interface {
	// Check returns the reasons why the engine does not support such objects. Served checks whether the hub serves them.
	Check(fleet engine.Engine) []engine.Limitation
	Served(ctx context.Context, fleet engine.Engine, m M) error
}

// CheckHub adds errors if the engine does not support the object, or if its hub does not serve the kind. If the preview is off, it does not read from the hub
// which kinds the hub serves. Without errors, it calls check with the planned and the prior object; prior is nil for a create. check may be nil.
//
// CheckHub does nothing if the object is destroyed or unchanged. It also does nothing if the engine is unknown, or if an attribute that is not in except is
// unknown.
func (p *Plan[M]) CheckHub(ctx context.Context, noun Hub[M], check func(m M, prior *M), except ...string) {
	if p.IsDestroy() || p.IsUnchanged() || p.Engine() == nil {
		return
	}
	m, prior, diags := p.Planned(ctx), p.Prior(ctx), &p.Response.Diagnostics
	if diags.HasError() || !convert.Known(p.Request.Plan.Raw, except...) {
		return
	}
	report.Limitations(diags, noun.Check(p.Session.Engine))
	if !diags.HasError() && p.Session.Preview != session.PreviewOff {
		report.Served(diags, p.noun.Identity().At(), p.noun.Title(*m)+" is not supported by this hub", noun.Served(ctx, p.Session.Engine, *m))
	}
	if !diags.HasError() && check != nil {
		check(*m, prior)
	}
	p.DropRepeated()
}
