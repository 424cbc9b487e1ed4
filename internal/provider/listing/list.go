// Package listing implements list resources (terraform query). A list resource lists the objects of a resource's type and reads each of them as an
// import does.
package listing

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

var _ list.ListResourceWithConfigure = (*List)(nil)

// Type is the resource type that is listed. Of is the collection of the engine that has its objects.
type Type struct {
	Resource func() resource.Resource
	Of       engine.Collection
	// Namespaced reports whether the objects have a namespace, or may have one.
	Namespaced  bool
	Description string
}

// List is a list resource.
type List struct {
	Type
	session *session.Session
}

// New returns a function that returns the list resource of a type.
func New(t Type) func() list.ListResource { return func() list.ListResource { return &List{Type: t} } }

// Metadata returns the name of the resource type.
func (l *List) Metadata(ctx context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	l.Resource().Metadata(ctx, request, response)
}

// Configure receives the session from the provider.
func (l *List) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	l.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ListResourceConfigSchema returns the schema of the filters.
func (l *List) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, response *list.ListResourceSchemaResponse) {
	response.Schema = schema.Schema{
		MarkdownDescription: l.Description,
		Attributes: map[string]schema.Attribute{
			"label_selector": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only objects that match this label selector, in the syntax of kubectl: `team=web,tier!=test`. " +
					l.describeLabels(),
				Validators: []validator.String{validate.String("label selector", validate.LabelSelector)},
			},
		},
	}
	if l.Namespaced {
		response.Schema.Attributes["namespace"] = schema.StringAttribute{
			Optional: true, MarkdownDescription: "Only objects in this namespace.", Validators: []validator.String{validate.Namespace()},
		}
	}
}

func (l *List) describeLabels() string {
	const onHub = "The labels are those of the object on the hub."
	switch l.Of {
	case engine.AllMembers:
		return "The labels are those by which placements pick members."
	case engine.AllPlacements, engine.AllClusterOverrides, engine.AllOverrides:
		return onHub + " The engine `direct` stores no labels of placements and overrides, so the argument is an error there."
	case engine.AllNamespacedPlacements, engine.AllEnvelopes, engine.AllUpdateStrategies, engine.AllUpdateRuns, engine.AllDisruptionBudgets:
	}
	return onHub
}

// List lists the objects.
func (l *List) List(ctx context.Context, request list.ListRequest, stream *list.ListResultsStream) {
	var diags diag.Diagnostics
	fleet := l.session.Ready(&diags)
	filter := l.filter(ctx, request.Config, &diags)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	found, err := fleet.List(ctx, l.Of, filter)
	if err != nil {
		report.Unlisted(&diags, string(l.Of), err)
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	report.MissedInList(&diags, string(l.Of), found.Missed)
	items := make([]Item, len(found.Found))
	for i, reference := range found.Found {
		items[i] = Item{Title: reference.String(), Identity: map[string]attr.Value{
			"name": types.StringValue(reference.Name), "namespace": convert.String(reference.Namespace),
		}}
	}
	stream.Results = Results(ctx, request, Reader{Resource: l.Resource, Session: l.session}, items, diags)
}

func (l *List) filter(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) engine.Filter {
	var selector, namespace types.String
	diags.Append(config.GetAttribute(ctx, path.Root("label_selector"), &selector)...)
	if l.Namespaced {
		diags.Append(config.GetAttribute(ctx, path.Root("namespace"), &namespace)...)
	}
	return engine.Filter{Namespace: namespace.ValueString(), LabelSelector: selector.ValueString()}
}
