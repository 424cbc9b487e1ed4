// Package hubaction contains what the actions on a hub share: their checks, timeouts and progress reports. A verb adds the name of its type, its
// schema, and the engine's operation.
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

// Verb is the operation of an action. M is the Terraform representation of the action.
type Verb[M any] interface {
	// TypeName returns the name of the action type without the provider's prefix.
	TypeName() string
	Schema() schema.Schema
	// Timeout returns the configured timeout, and the default that applies if it is null.
	Timeout(m M) (types.String, time.Duration)
	// Check returns the reasons why the engine does not support the action. Served returns an error if the hub does not serve the action; the arguments in m
	// may be unknown. At is the path of the argument at which errors of Served are reported.
	Check(fleet engine.Engine) []engine.Limitation
	Served(ctx context.Context, fleet engine.Engine, m M) error
	At() path.Path
	Do(ctx context.Context, fleet engine.Engine, m M, progress func(message string), diags *diag.Diagnostics)
}

// TimeoutAttribute returns the schema of the timeout of an action.
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

// New returns the action of a verb.
func New[M any](verb Verb[M]) *Action[M] { return &Action[M]{verb: verb} }

// Metadata returns the name of the action type.
func (a *Action[M]) Metadata(_ context.Context, request action.MetadataRequest, response *action.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + a.verb.TypeName()
}

// Schema returns the schema of the action.
func (a *Action[M]) Schema(_ context.Context, _ action.SchemaRequest, response *action.SchemaResponse) {
	response.Schema = a.verb.Schema()
}

// Configure receives the session from the provider.
func (a *Action[M]) Configure(_ context.Context, request action.ConfigureRequest, response *action.ConfigureResponse) {
	a.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ModifyPlan adds an error if the engine or its hub does not support the action.
func (a *Action[M]) ModifyPlan(ctx context.Context, request action.ModifyPlanRequest, response *action.ModifyPlanResponse) {
	var m M
	response.Diagnostics.Append(request.Config.Get(ctx, &m)...)
	if response.Diagnostics.HasError() || a.session == nil || a.session.Engine == nil {
		return
	}
	report.Limitations(&response.Diagnostics, a.verb.Check(a.session.Engine))
	if !response.Diagnostics.HasError() && a.session.Preview != session.PreviewOff {
		report.Served(&response.Diagnostics, a.verb.At(), "The hub does not support this action", a.verb.Served(ctx, a.session.Engine, m))
	}
}

// maxProgress is the maximum length of a printed progress message. Parts of it come from a hub.
const maxProgress = 400

// Invoke runs the action.
func (a *Action[M]) Invoke(ctx context.Context, request action.InvokeRequest, response *action.InvokeResponse) {
	var m M
	response.Diagnostics.Append(request.Config.Get(ctx, &m)...)
	fleet := a.session.ReadyToWrite(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	text, limit := a.verb.Timeout(m)
	if !text.IsNull() {
		limit, _ = time.ParseDuration(text.ValueString()) // the validator has parsed it before
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	progress := func(message string) {
		response.SendProgress(action.InvokeProgressEvent{Message: printable.Cut(message, maxProgress)})
	}
	a.verb.Do(ctx, fleet, m, progress, &response.Diagnostics)
}
