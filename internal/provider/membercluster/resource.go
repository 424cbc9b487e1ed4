// Package membercluster implements the resource fleet_member_cluster.
package membercluster

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// New returns the resource.
func New() resource.Resource { return object.New(noun{}) }

type noun struct{}

func (noun) TypeName() string                         { return "member_cluster" }
func (noun) Title(m model) string                     { return "The member cluster " + m.Name.String() }
func (noun) Schema(ctx context.Context) schema.Schema { return resourceSchema(ctx) }
func (noun) Identity() identity.Format                { return identity.Format{What: "member"} }

// Upgraders returns the upgrader for states of version 0, in which the status had another type.
func (noun) Upgraders(ctx context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: convert.Without("status", resourceSchema(ctx))}
}

func (noun) Validate(ctx context.Context, m model, diags *diag.Diagnostics) {
	convert.Problems(diags, "Invalid member cluster", member.Validate(m.expand(ctx, diags)))
}

// Plan plans the computed attributes, reports the arguments that the engine does not support, and records the planned change of the member in the session.
func (n noun) Plan(ctx context.Context, p *object.Plan[model]) {
	if rejectClash(ctx, p) {
		return
	}
	p.RecordChange(ctx, n)
	keepStatus(ctx, p)
	planAgent(ctx, p)
	fleet, diags := p.Engine(), &p.Response.Diagnostics
	if fleet == nil {
		return
	}
	prior := p.Prior(ctx)
	if p.IsDestroy() || p.IsUnchanged() {
		if prior != nil && !diags.HasError() {
			warnUnconnected(p, *prior)
			warnUnreachable(ctx, p, *prior)
			if p.IsDestroy() && prior.AdoptExisting.ValueBool() {
				report.ReleasedMember(diags, prior.Name.ValueString())
			}
		}
		return
	}
	data := *p.Planned(ctx)
	if diags.HasError() {
		return
	}
	report.Limitations(diags, fleet.CheckMember(data.expandPartial()))
	if p.Session.Preview != session.PreviewOff {
		if refused, ok := errors.AsType[*engine.LimitationError](fleet.ServesMember(ctx, data.expandPartial())); ok {
			report.Limitations(diags, []engine.Limitation{refused.Limitation})
		}
	}
	warnOverwritten(ctx, p, data, prior)
	if prior == nil {
		rejectRegistered(ctx, p, data)
	} else {
		p.Session.Members.Add(data.Name.ValueString())
		rejectRegistration(data, *prior, diags)
	}
	p.DropRepeated()
}

// rejectClash adds an error if another resource of the run plans the member as well. It reports whether it added one.
func rejectClash(ctx context.Context, p *object.Plan[model]) bool {
	planned := p.Planned(ctx)
	if p.Session == nil || planned == nil {
		return false
	}
	name := planned.Name
	if name.IsUnknown() || p.Session.IsOnlyMember(name.ValueString(), p.Request.Config.Raw, !p.IsCreate()) {
		return false
	}
	p.Response.Diagnostics.AddAttributeError(path.Root("name"), "Two resources for one member", "Another resource of this configuration plans the member "+
		name.String()+" as well: each would undo what the other writes. Remove one of them, or give it another name.")
	return true
}

// rejectRegistered adds an error if a new member is registered already. With adopt_existing, it warns if the member does not exist yet. A replaced
// resource is planned as new while its member still exists: this is not an error. If the member cannot be read, the apply runs the same check.
func rejectRegistered(ctx context.Context, p *object.Plan[model], data model) {
	name, diags := data.Name.ValueString(), &p.Response.Diagnostics
	if data.Name.IsUnknown() || p.Session.Applies() || p.Session.Preview == session.PreviewOff || p.Session.Members.Has(name) {
		return
	}
	_, err := p.Session.Engine.ReadMember(ctx, name, nil)
	if data.AdoptExisting.ValueBool() {
		if errors.Is(err, engine.ErrNotFound) {
			report.NothingToAdopt(diags, name)
		}
		return
	}
	if err == nil && !data.AdoptExisting.IsUnknown() {
		exists := engine.MemberExists(name)
		exists.Adoptable = len(p.Session.Engine.CheckMember(member.Spec{Name: name, AdoptExisting: new(true)})) == 0
		report.ErrorOnce(diags, path.Root("name"), "The member cluster "+data.Name.String()+" cannot be registered", exists, p.Session.First)
	}
}

func (n noun) Apply(ctx context.Context, c object.Call, m, prior *model, diags *diag.Diagnostics) (uid string, written bool) {
	done := "registered"
	var before *engine.Member
	want := engine.Member{ID: string(uuid.NewUUID()), Spec: m.expand(ctx, diags)}
	if prior != nil {
		done, before = "changed", new(prior.expandMember(ctx, c, diags))
		want.ID = cmp.Or(before.ID, want.ID)
	}
	applied, err := c.Engine.ApplyMember(ctx, want, before)
	if err != nil {
		report.Error(diags, path.Root("name"), n.Title(*m)+" could not be "+done, err)
		return "", false
	}
	report.ReachedOtherwise(diags, m.Name.ValueString(), applied.Warning)
	m.Agent = m.expandAgent(ctx, c.Engine, diags)
	if !isPlanned(m.Status) {
		m.Status = flattenStatus(ctx, applied.Status, diags)
	}
	private.Set(ctx, c.Private, private.ID, applied.ID, diags)
	return applied.UID, true
}

// Read reads the member. The state of an unreachable member keeps the known values, except the conditions.
func (noun) Read(ctx context.Context, c object.Call, m *model, diags *diag.Diagnostics) (uid string, err error) {
	name := m.Name.ValueString()
	var before *engine.Member
	if !m.Status.IsNull() {
		before = new(m.expandMember(ctx, c, diags))
	}
	read, err := c.Engine.ReadMember(ctx, name, before)
	if isUnreachable(err) && before != nil {
		m.Status = unreachableStatus(ctx, m.Status, diags)
		if !isUnconnected(err) { // otherwise the plan reports the consequences
			report.MemberUnread(diags, name, err, c.Session.First)
		}
		return c.UID, nil
	}
	if err != nil {
		return "", err
	}
	c.Session.Members.Add(name)
	if read.ID != "" {
		private.Set(ctx, c.Private, private.ID, read.ID, diags)
	}
	report.ReachedOtherwise(diags, name, read.Warning)
	written := *m
	*m = flatten(ctx, read.Spec, diags)
	m.Timeouts = written.Timeouts
	m.Labels = convert.AsWritten(ctx, m.Labels, written.Labels)
	m.Annotations = convert.AsWritten(ctx, m.Annotations, written.Annotations)
	m.Taints = convert.AsWritten(ctx, m.Taints, written.Taints)
	m.Status = flattenStatus(ctx, read.Status, diags)
	m.Agent = m.expandAgent(ctx, c.Engine, diags)
	return read.UID, nil
}

// defaultDeleteTimeout is the default timeout of a destroy. If the agent of a member has not left, a hub removes the member after 15 minutes by default.
const defaultDeleteTimeout = 20 * time.Minute

func (noun) Delete(ctx context.Context, c object.Call, m model, diags *diag.Diagnostics) error {
	prior := m.expandMember(ctx, c, diags)
	limit, d := m.Timeouts.Delete(ctx, defaultDeleteTimeout)
	diags.Append(d...)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch err := c.Engine.DeleteMember(ctx, prior); {
	case err == nil:
	case canRemoveFromState(prior.Spec, err):
		report.MemberRemovedFromState(diags, prior.Spec.Name, err)
	default:
		report.Error(diags, path.Root("name"), "The membership of "+m.Name.String()+" could not be ended", err)
	}
	return nil
}
