// Package hubaction is what actions share that ask a hub to do something: how they are checked, how long they may take, and how they tell how far
// they have come. A verb adds its type, its schema and what an engine is asked.
package hubaction

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

var (
	_ action.ActionWithConfigure  = (*Action[any])(nil)
	_ action.ActionWithModifyPlan = (*Action[any])(nil)
)

// Verb is what an action does. M is the action as Terraform has it.
type Verb[M any] interface {
	// TypeName is the name of the type without that of the provider.
	TypeName() string
	Schema() schema.Schema
	// Timeout is how long the action may take; null for as long as the second value says.
	Timeout(m M) (types.String, time.Duration)
	// Check tells why the engine cannot do it; Served asks the hub, and At is the argument that is wrong if that has no such thing. Not everything has
	// to be known.
	Check(fleet engine.Engine) []engine.Limitation
	Served(ctx context.Context, fleet engine.Engine, m M) error
	At() path.Path
	// Do does it, and tells progress.
	Do(ctx context.Context, fleet engine.Engine, m M, progress func(message string), diags *diag.Diagnostics)
}

// TimeoutAttribute is the argument for how long an action may take.
func TimeoutAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, MarkdownDescription: description, Validators: []validator.String{validate.String("duration", validate.Duration)},
	}
}

// Action is the action of a verb.
type Action[M any] struct {
	verb    Verb[M]
	session *session.Session
}

// New makes the action of a verb.
func New[M any](verb Verb[M]) *Action[M] { return &Action[M]{verb: verb} }

// Metadata names the action.
func (a *Action[M]) Metadata(_ context.Context, request action.MetadataRequest, response *action.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + a.verb.TypeName()
}

// Schema describes it.
func (a *Action[M]) Schema(_ context.Context, _ action.SchemaRequest, response *action.SchemaResponse) {
	response.Schema = a.verb.Schema()
}

// Configure takes the session.
func (a *Action[M]) Configure(_ context.Context, request action.ConfigureRequest, response *action.ConfigureResponse) {
	a.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ModifyPlan refuses what the engine or its hub does not have.
func (a *Action[M]) ModifyPlan(ctx context.Context, request action.ModifyPlanRequest, response *action.ModifyPlanResponse) {
	var m M
	response.Diagnostics.Append(request.Config.Get(ctx, &m)...)
	if response.Diagnostics.HasError() || a.session == nil || a.session.Engine == nil {
		return
	}
	report.Limitations(&response.Diagnostics, a.verb.Check(a.session.Engine))
	if !response.Diagnostics.HasError() && a.session.Preview != session.PreviewOff {
		report.Served(&response.Diagnostics, a.verb.At(), "This hub cannot do that", a.verb.Served(ctx, a.session.Engine, m))
	}
}

// maxProgress is how much is printed of how far an action has come: some of it is what a hub says.
const maxProgress = 400

// Invoke does it.
func (a *Action[M]) Invoke(ctx context.Context, request action.InvokeRequest, response *action.InvokeResponse) {
	var m M
	response.Diagnostics.Append(request.Config.Get(ctx, &m)...)
	fleet := a.session.ReadyToWrite(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	text, limit := a.verb.Timeout(m)
	if !text.IsNull() {
		limit, _ = time.ParseDuration(text.ValueString()) // the validator has parsed it
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	progress := func(message string) {
		response.SendProgress(action.InvokeProgressEvent{Message: printable.Cut(message, maxProgress)})
	}
	a.verb.Do(ctx, fleet, m, progress, &response.Diagnostics)
}
