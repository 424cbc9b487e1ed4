// Package consequences compares the apply of an envelope, override or member with its plan. The apply returns an error, before it writes, if the hub would
// react with an effect on placements that the plan does not show.
//
// A hub acts on these changes as soon as they are written, even if no placement is applied.
package consequences

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

const privateAgreement = "consequences"

type agreement struct {
	// Checked reports whether the apply is restricted to the plan. It is false, for example, if the user turned the preview off.
	Checked bool `json:"checked,omitempty"`
	// Unknown reports that the placements could not be previewed. The plan has a warning about this.
	Unknown bool `json:"unknown,omitempty"`
	// Shown has the effects that the plan shows for the change, and Removal has those of the removal of a destroyed or replaced resource. Each element is one
	// alternative, because Terraform may apply other changes of the run before or after this one. The effects in the apply must match one of the alternatives.
	// An alternative has a text of [engine.Expectation] by placement, or "" for a placement that could not be checked. Removal is nil if the plan does not know
	// of a removal: Terraform does not report what a tainted resource with another name replaces.
	Shown   []map[string]string `json:"shown,omitempty"`
	Removal []map[string]string `json:"removal,omitempty"`
}

// Change is a planned change of a resource that placements depend on.
type Change struct {
	// What names the resource for the user, such as "envelope app/quota".
	What string
	// World has the change that the resource writes. It is the zero value if the resource is destroyed.
	World engine.World
	// Removal has the removal of the resource if the resource is destroyed or replaced. Otherwise, it is the zero value. In a replacement, it precedes World.
	Removal engine.World
}

// RemovalOf returns the removal of a resource that is destroyed or replaced, and the zero value for other resources. what names the change. before is the
// reference in the prior state, or nil without a prior state. planned is the reference in the plan. managed reports whether the state of the run has the
// planned reference. removal returns the change that removes the resource.
//
// Terraform plans a replaced resource a second time, without its prior state. RemovalOf then returns the removal of the first plan. For a tainted resource, the
// plan without a prior state is the only one.
func RemovalOf(
	shared *session.Session, what string, before *engine.Reference, planned engine.Reference, managed bool, removal func() engine.World,
) engine.World {
	if before != nil {
		if *before == planned {
			return engine.World{}
		}
		out := removal()
		shared.PlanRemoval(what, out)
		return out
	}
	if out := shared.PlannedRemoval(what); out.Changes() || !managed {
		return out
	}
	return removal()
}

// Plan previews the effects of the change on existing placements, and stores the agreement for the apply. It warns about the effects. If the preview is
// required, it can add errors.
func (c Change) Plan(ctx context.Context, shared *session.Session, state private.State, diags *diag.Diagnostics) {
	if before, found := plannedprivate.From(ctx); found {
		var agreed agreement
		private.Recall(ctx, before, privateAgreement, &agreed, diags)
		if agreed.Checked { // Terraform plans again right before the apply
			agreed.store(ctx, state, diags)
			return
		}
	}
	if shared.Applies() { // without the plan's private state, the apply cannot know what the plan has shown
		agreement{}.store(ctx, state, diags)
		return
	}
	agreed := agreement{Checked: shared == nil || shared.Preview != session.PreviewOff}
	if agreed.Checked && shared != nil && shared.Engine != nil {
		fleet, acts := shared.Engine.(engine.Consequences)
		if !acts {
			agreement{}.store(ctx, state, diags)
			return
		}
		if err := c.preview(ctx, shared, fleet, &agreed, diags); err != nil {
			agreed.Unknown, agreed.Shown = true, nil
			summary := "The effect of " + c.What + " on the hub is unknown"
			if shared.Preview == session.PreviewRequired && len(c.World.Unknown()) == 0 {
				report.Error(diags, path.Root("name"), summary, err)
			} else {
				report.Warning(diags, path.Root("name"), summary, err)
			}
		}
	}
	agreed.store(ctx, state, diags)
}

// store passes the agreement to the apply. An agreement that restricts nothing is stored only to replace another one.
func (a agreement) store(ctx context.Context, state private.State, diags *diag.Diagnostics) {
	if !a.Checked {
		before, problems := state.GetKey(ctx, privateAgreement)
		diags.Append(problems...)
		if len(before) == 0 {
			return
		}
	}
	private.Set(ctx, state, privateAgreement, a, diags)
}

// preview previews the removal and the change: each alone, both together, and both with the rest of the run's plan so far. It reports the effects.
func (c Change) preview(
	ctx context.Context, shared *session.Session, fleet engine.Consequences, agreed *agreement, diags *diag.Diagnostics,
) error {
	removes, writes, all := c.Removal.Changes(), c.World.Changes(), c.Removal.With(c.World)
	planned := shared.World()
	var failed error
	// preview previews a world if needed is true. It adds the result to agreed.Removal if removal is true, and to agreed.Shown if change is true.
	preview := func(needed bool, world engine.World, removal, change bool) []engine.Consequence {
		if !needed || failed != nil {
			return nil
		}
		found, err := fleet.PreviewChange(ctx, world, nil)
		if failed = err; err != nil {
			return nil
		}
		if removal {
			agreed.Removal = append(agreed.Removal, formatExpectations(found))
		}
		if change {
			agreed.Shown = append(agreed.Shown, formatExpectations(found))
		}
		return found
	}
	removed := preview(removes, c.Removal, true, false)
	written := preview(writes, c.World, false, true)
	combined := preview(removes && writes, all, true, true)
	run := preview(planned.Size() > all.Size() && len(planned.Unknown()) == 0, planned, removes, writes)
	if failed != nil {
		report.Consequences(diags, c.What, excludeDestroyed(shared, removed), false) // the consequences of the removal are known even if those of the change are not
		return failed
	}
	if removes && writes {
		agreed.Shown = append(agreed.Shown, formatExpectations(merge(listTransientDeletions(removed, combined), combined)))
	}
	shown := merge(removed, combined)
	if !removes {
		shown = written
	}
	more, err := previewTogether(ctx, fleet, planned.Without(all), run, shown)
	if err != nil {
		return err
	}
	shown = excludeDestroyed(shared, merge(shown, more))
	report.Consequences(diags, c.What, shown, shared.Preview == session.PreviewRequired)
	return nil
}

// previewTogether returns the effects that the change and the rest of the run have only together. For example, an envelope gains an object, and a placement
// picks a cluster because of a member's new label. rest has the changes of the run without this change. run has the effects of the whole run, and shown those
// of this change.
func previewTogether(ctx context.Context, fleet engine.Consequences, rest engine.World, run, shown []engine.Consequence) ([]engine.Consequence, error) {
	more := subtract(run, shown)
	if len(more) == 0 {
		return nil, nil
	}
	alone, err := fleet.PreviewChange(ctx, rest, nil)
	return subtract(more, alone), err
}

func formatExpectations(found []engine.Consequence) map[string]string {
	out := map[string]string{}
	for _, c := range found {
		out[c.Placement] = ""
		if c.Err == nil {
			out[c.Placement] = engine.Expect(c.Preview).Salted().String()
		}
	}
	return out
}

// Verify reports whether the change may be written; if not, it adds an error. If the apply is restricted to the plan, the change may be written only if the hub
// then does what the plan shows. create reports whether the resource is created. The caller calls end after the write, or immediately if ok is false. Until
// the caller calls end, Verify blocks for all other resources of the run.
func (c Change) Verify(ctx context.Context, shared *session.Session, create bool, state private.State, diags *diag.Diagnostics) (end func(), ok bool) {
	var agreed agreement
	if create {
		if planned, found := plannedprivate.From(ctx); found {
			private.Recall(ctx, planned, privateAgreement, &agreed, diags)
		}
	} else {
		private.Recall(ctx, state, privateAgreement, &agreed, diags)
		private.Set(ctx, state, privateAgreement, nil, diags) // an agreement is valid for one apply
	}
	fleet, acts := shared.Engine.(engine.Consequences)
	if !acts || diags.HasError() {
		return func() {}, !diags.HasError()
	}
	end, err := shared.TakeTurn(ctx)
	if err != nil {
		report.Error(diags, path.Root("name"), "The change of "+c.What+" is not written", err)
		return func() {}, false
	}
	end = sync.OnceFunc(end)
	if !agreed.Checked {
		return end, true
	}
	if err = c.checkAlternatives(ctx, fleet, agreed); err == nil {
		return end, true
	}
	summary := "The effect of " + c.What + " on the hub cannot be compared with the plan"
	if _, contradicts := errors.AsType[*engine.ContradictionError](err); contradicts {
		summary = "The plan does not show an effect of " + c.What + " on the hub"
	}
	report.Error(diags, path.Root("name"), summary, err)
	return end, false
}

// checkAlternatives returns nil if the effects match one of the alternatives in the plan. It also returns nil if the plan of a replacement did not know of the
// removal. If neither the plan nor the apply can preview the placements, it returns nil unless the error is an [engine.UnreachableError].
func (c Change) checkAlternatives(ctx context.Context, fleet engine.Consequences, agreed agreement) error {
	world, shown := c.World, agreed.Shown
	if c.Removal.Changes() {
		world, shown = c.Removal, agreed.Removal
		if len(shown) == 0 && len(agreed.Shown) > 0 {
			return nil // the plan of the replacement did not know of the removal
		}
	}
	if len(shown) == 0 {
		shown = []map[string]string{nil}
	}
	var problem error
	for _, texts := range shown {
		expected, err := parseExpectations(texts)
		if err != nil {
			return err
		}
		found, err := fleet.PreviewChange(ctx, world, expected)
		if err != nil && agreed.Unknown && !isUnreachable(err) {
			return nil // for example, the right to list placements is missing: the plan has warned about it
		}
		if err != nil {
			return err
		}
		if err = expected.Verify(found); err == nil {
			return nil
		}
		problem = cmp.Or(problem, err)
	}
	return problem
}

func isUnreachable(err error) bool {
	_, ok := errors.AsType[*engine.UnreachableError](err)
	return ok
}

func parseExpectations(texts map[string]string) (engine.Expectations, error) {
	out := engine.Expectations{}
	for placement, text := range texts {
		out[placement] = nil
		if text == "" {
			continue
		}
		expected, err := engine.ParseExpectation(text)
		if err != nil {
			return nil, fmt.Errorf("the data stored in the plan cannot be read: %w. Nothing was written. Plan again with this version of the provider", err)
		}
		out[placement] = expected
	}
	return out, nil
}
