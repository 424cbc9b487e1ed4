package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/consequences"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// Dependency has the additional methods of a [Noun] on which placements depend. A hub acts on existing placements as soon as such an object is written or deleted.
type Dependency[M any] interface {
	// What names the object for people, as in "envelope app/quota". Kind returns the noun in this name, for an object whose name is unknown.
	What(m M) string
	Kind() string
	// Reference returns the reference to the object. known is false if a part of the reference is unknown.
	Reference(m M) (reference engine.Reference, known bool)
	// Irrelevant returns the attributes on which no placement depends.
	Irrelevant() []string
	// Write returns the change that writes the object. prior is nil for a create. If complete is false, an attribute on which placements depend is unknown.
	Write(ctx context.Context, m M, prior *M, complete bool, diags *diag.Diagnostics) engine.World
	// Remove returns the change that removes the object. If complete is false, m is the planned replacement of the object, and its attributes can be unknown.
	Remove(ctx context.Context, m M, complete bool, diags *diag.Diagnostics) engine.World
	// IsManaged reports whether the state of the run has the object. Applied records that an apply or a removal of the object has ended.
	IsManaged(shared *session.Session, reference engine.Reference) bool
	Applied(shared *session.Session, reference engine.Reference)
}

// RecordChange records the planned change for the placements that are planned after it, and previews what the hub does with existing placements. recorded is
// false if there is no change. It is also false before the provider is configured, and if the plan has errors.
func (p *Plan[M]) RecordChange(ctx context.Context, noun Dependency[M]) (change consequences.Change, recorded bool) {
	plan, diags := p.Response.Plan.Raw, &p.Response.Diagnostics
	if p.Session == nil || plan.Equal(p.Request.State.Raw) {
		return change, false
	}
	prior, planned := p.Prior(ctx), p.Planned(ctx)
	if diags.HasError() {
		return change, false
	}
	replaced, after, named := prior, engine.Reference{}, true
	var before *engine.Reference // nil if the state has no object
	if prior != nil {
		reference, _ := noun.Reference(*prior)
		before, change.What = &reference, noun.What(*prior)
	} else {
		replaced = planned
	}
	if planned != nil {
		after, named = noun.Reference(*planned)
		change.What = noun.What(*planned)
	}
	if before != nil || named { // a new object with an unknown name replaces no known one
		change.Removal = consequences.RemovalOf(p.Session, change.What, before, after, noun.IsManaged(p.Session, after), func() engine.World {
			return noun.Remove(ctx, *replaced, prior != nil, diags)
		})
	}
	switch {
	case planned == nil:
	case !named:
		change.World.Unnamed = []string{noun.Kind()}
	default:
		change.World = noun.Write(ctx, *planned, prior, convert.Known(plan, noun.Irrelevant()...), diags)
	}
	p.Session.PlanChange(change.Removal.With(change.World))
	change.Plan(ctx, p.Session, p.Response.Private, diags)
	return change, true
}

// hold reports whether the object may be written, or deleted if m is nil, as [consequences.Change.Verify] does. If ok is false, hold has added an error. The
// caller passes held to the operation. It calls end after the operation, also if ok is false.
func (r *Resource[M]) hold(ctx context.Context, c Call, m, prior *M, diags *diag.Diagnostics) (held context.Context, end func(), ok bool) {
	noun, ok := r.noun.(Dependency[M])
	if !ok {
		return ctx, func() {}, true
	}
	var change consequences.Change
	subject := m
	if m == nil {
		subject, change.Removal = prior, noun.Remove(ctx, *prior, true, diags)
	} else {
		change.World = noun.Write(ctx, *m, prior, true, diags)
	}
	change.What = noun.What(*subject)
	written, ok := change.Verify(ctx, c.Session, prior == nil, c.Private, diags)
	end = func() {
		written()
		reference, _ := noun.Reference(*subject)
		noun.Applied(c.Session, reference)
	}
	return engine.WithWritten(ctx, written), end, ok // an operation can wait after its last write
}
