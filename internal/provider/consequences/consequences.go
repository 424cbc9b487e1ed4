// Package consequences holds the apply of an envelope or override to what its plan shows of the placements that depend on it.
//
// A hub carries such a change out as soon as it is written, before the apply of any placement looks at it.
package consequences

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// privateAgreement is the key of the agreement in the planned private state.
const privateAgreement = "consequences"

// agreement is what a plan hands to its apply in the planned private state.
type agreement struct {
	// Checked reports whether the apply is held to the plan: the user has not turned previews off.
	Checked bool `json:"checked,omitempty"`
	// Shown has what the plan shows, by placement, as texts of [engine.Expectation]; "" for a placement that could not be checked. Terraform may apply other
	// changes of the run before this one or after it, so that the apply is held to any of several.
	Shown []map[string]string `json:"shown,omitempty"`
}

// Change is a planned change of a resource on which placements depend.
type Change struct {
	// What names the resource for the user: envelope app/quota.
	What string
	// World has the change alone.
	World engine.World
	// Replaced has the removal that comes first if the resource is replaced; the zero value for no removal.
	Replaced engine.World
}

// Plan warns of what the hub does with existing placements when the change is written, and stores it for the apply.
func (c Change) Plan(ctx context.Context, shared *session.Session, state private.State, diags *diag.Diagnostics) {
	if before, found := plannedprivate.From(ctx); found {
		var agreed agreement
		private.Recall(ctx, before, privateAgreement, &agreed, diags)
		if agreed.Checked { // Terraform plans again right before the apply
			private.Keep(ctx, state, privateAgreement, agreed, diags)
			return
		}
	}
	agreed := agreement{Checked: shared == nil || shared.Preview != session.PreviewOff}
	if agreed.Checked && shared != nil && shared.Engine != nil {
		agreed.Shown = c.preview(ctx, shared, diags)
	}
	private.Keep(ctx, state, privateAgreement, agreed, diags)
}

// preview returns what the change does alone, and what the run does until then.
func (c Change) preview(ctx context.Context, shared *session.Session, diags *diag.Diagnostics) (shown []map[string]string) {
	worlds := []engine.World{c.World}
	if c.Replaced.Changes() {
		worlds = []engine.World{c.Replaced, c.World}
	}
	if run := shared.World(); run.Size() > c.World.Size() && len(run.Unknown()) == 0 {
		worlds = append(worlds, run)
	}
	for i, world := range worlds {
		found, err := shared.Engine.PreviewChange(ctx, world, nil)
		if err != nil {
			report.Warning(diags, path.Root("name"), "What the hub does because of "+c.What+" is not known", err)
			return nil
		}
		shown = append(shown, textsOf(found))
		if i == 0 && !shared.Applies() {
			report.Consequences(diags, c.What, slices.DeleteFunc(found, func(c engine.Consequence) bool { return shared.IsGoing(c.Placement) }))
		}
	}
	return shown
}

func textsOf(found []engine.Consequence) map[string]string {
	out := map[string]string{}
	for _, one := range found {
		out[one.Placement] = ""
		if one.Err == nil {
			out[one.Placement] = engine.Expect(one.Preview).String()
		}
	}
	return out
}

// Hold reports whether the change may be written: the hub does what the plan shows, and nothing else. Otherwise it adds an error. create tells whether the
// resource is created.
func (c Change) Hold(ctx context.Context, shared *session.Session, create bool, state private.State, diags *diag.Diagnostics) bool {
	var agreed agreement
	if create {
		if planned, found := plannedprivate.From(ctx); found {
			private.Recall(ctx, planned, privateAgreement, &agreed, diags)
		}
	} else {
		private.Recall(ctx, state, privateAgreement, &agreed, diags)
		private.Keep(ctx, state, privateAgreement, nil, diags) // it holds for one apply
	}
	if !agreed.Checked || diags.HasError() {
		return !diags.HasError()
	}
	if err := c.hold(ctx, shared.Engine, agreed); err != nil {
		report.Error(diags, path.Root("name"), "Because of "+c.What+" the hub would do what the plan does not show", err)
		return false
	}
	return true
}

// hold returns the error of the first of the alternatives if none of them holds.
func (c Change) hold(ctx context.Context, fleet engine.Consequences, agreed agreement) error {
	if len(agreed.Shown) == 0 {
		agreed.Shown = []map[string]string{nil}
	}
	var problem error
	for _, texts := range agreed.Shown {
		expected, err := expectations(texts)
		if err != nil {
			return err
		}
		found, err := fleet.PreviewChange(ctx, c.World, expected)
		if err != nil {
			return err
		}
		if err = expected.Hold(found); err == nil {
			return nil
		}
		problem = cmp.Or(problem, err)
	}
	return problem
}

func expectations(texts map[string]string) (engine.Expectations, error) {
	out := engine.Expectations{}
	for placement, text := range texts {
		out[placement] = nil
		if text == "" {
			continue
		}
		expected, err := engine.ParseExpectation(text)
		if err != nil {
			return nil, fmt.Errorf("what the plan has stored cannot be read: %w. Nothing was written. Plan again with this version of the provider", err)
		}
		out[placement] = expected
	}
	return out, nil
}
