// Package listing is the list resources of terraform query. One of them lists what there is of a resource's type, and reads it as an import does.
package listing

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

var _ list.ListResourceWithConfigure = (*List)(nil)

// Type is what is listed.
type Type struct {
	// Resource makes the resource by which one of the things is read.
	Resource func() resource.Resource
	Of       engine.Collection
	// Namespaced says that the things are in namespaces, or may be.
	Namespaced bool
	// Description says what is listed.
	Description string
}

// List is a list resource.
type List struct {
	Type
	session *session.Session
}

// New returns a function that makes the list resource of a type.
func New(t Type) func() list.ListResource { return func() list.ListResource { return &List{Type: t} } }

// Metadata names it as the resource.
func (l *List) Metadata(ctx context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	l.Resource().Metadata(ctx, request, response)
}

// Configure takes the session.
func (l *List) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	l.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ListResourceConfigSchema describes the filters.
func (l *List) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, response *list.ListResourceSchemaResponse) {
	response.Schema = schema.Schema{
		MarkdownDescription: l.Description,
		Attributes: map[string]schema.Attribute{
			"label_selector": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only what has labels like these, written as kubectl takes them: `team=web,tier!=test`. " + l.labels(),
				Validators: []validator.String{validate.String("label selector", validate.LabelSelector)},
			},
		},
	}
	if l.Namespaced {
		response.Schema.Attributes["namespace"] = schema.StringAttribute{
			Optional: true, MarkdownDescription: "Only what is in this namespace.", Validators: []validator.String{validate.Namespace()},
		}
	}
}

// labels tells which labels are meant.
func (l *List) labels() string {
	if l.Of == engine.AllMembers {
		return "The labels are those by which placements pick members."
	}
	return "The labels are those of the object on the hub; the direct engine keeps none of placements and overrides."
}

// List finds what there is.
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
		report.Unlisted(&diags, l.Of, err)
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	report.MissedInList(&diags, l.Of, found.Missed)
	references := found.Found
	if limit := int(request.Limit); limit > 0 && limit < len(references) {
		references = references[:limit]
	}
	stream.Results = l.results(ctx, request, references, diags)
}

func (l *List) filter(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) engine.Filter {
	var selector, namespace types.String
	diags.Append(config.GetAttribute(ctx, path.Root("label_selector"), &selector)...)
	if l.Namespaced {
		diags.Append(config.GetAttribute(ctx, path.Root("namespace"), &namespace)...)
	}
	return engine.Filter{Namespace: namespace.ValueString(), LabelSelector: selector.ValueString()}
}

// atOnce is how many things are read at once.
const atOnce = 8

// results are the things in order, after what there is to say of the list.
func (l *List) results(ctx context.Context, request list.ListRequest, references []engine.Reference, said diag.Diagnostics) iter.Seq[list.ListResult] {
	out := make([]*list.ListResult, len(references))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, reference := range references {
		group.Go(func() error {
			out[i] = l.result(ctx, request, reference)
			return nil
		})
	}
	_ = group.Wait()
	return func(push func(list.ListResult) bool) {
		if len(said) > 0 && !push(list.ListResult{Diagnostics: said}) {
			return
		}
		for _, result := range out {
			if result != nil && !push(*result) {
				return
			}
		}
	}
}

// result is one of the things; nil if it has gone meanwhile. One that cannot be read is left out with a warning: an error would end the list.
func (l *List) result(ctx context.Context, request list.ListRequest, reference engine.Reference) *list.ListResult {
	out := request.NewListResult(ctx)
	out.DisplayName = reference.String()
	for attribute, value := range map[string]attr.Value{"name": types.StringValue(reference.Name), "namespace": namespaceOf(reference)} {
		if _, has := request.ResourceIdentitySchema.GetAttributes()[attribute]; has {
			out.Diagnostics.Append(out.Identity.SetAttribute(ctx, path.Root(attribute), value)...)
		}
	}
	if !request.IncludeResource {
		return &out
	}
	exists := l.read(ctx, reference, out.Resource, &out.Diagnostics)
	if out.Diagnostics.HasError() {
		return &list.ListResult{Diagnostics: report.LeftOut(out.DisplayName, out.Diagnostics)}
	}
	if !exists {
		return nil
	}
	return &out
}

func namespaceOf(reference engine.Reference) types.String {
	if reference.Namespace == "" {
		return types.StringNull()
	}
	return types.StringValue(reference.Namespace)
}

// read imports a thing and reads it, and puts it where the result has it. It returns false for one that is gone.
func (l *List) read(ctx context.Context, reference engine.Reference, into *tfsdk.Resource, diags *diag.Diagnostics) (exists bool) {
	one := l.Resource()
	configured := &resource.ConfigureResponse{}
	if with, is := one.(resource.ResourceWithConfigure); is {
		with.Configure(ctx, resource.ConfigureRequest{ProviderData: l.session}, configured)
	}
	diags.Append(configured.Diagnostics...)
	importing, is := one.(resource.ResourceWithImportState)
	if !is {
		diags.AddError("The resource cannot be imported", "This is a bug in the provider.")
		return false
	}
	var identities resource.IdentitySchemaResponse
	if with, is := one.(resource.ResourceWithIdentity); is {
		with.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identities)
	}
	var schemas resource.SchemaResponse
	one.Schema(ctx, resource.SchemaRequest{}, &schemas)
	state := tfsdk.State{Schema: schemas.Schema, Raw: into.Raw}
	identity := &tfsdk.ResourceIdentity{Schema: identities.IdentitySchema, Raw: tftypes.NewValue(identities.IdentitySchema.Type().TerraformType(ctx), nil)}
	imported := &resource.ImportStateResponse{State: state, Identity: identity}
	importing.ImportState(ctx, resource.ImportStateRequest{ID: reference.String(), Identity: identity}, imported)
	diags.Append(imported.Diagnostics...)
	if diags.HasError() {
		return false
	}
	read := &resource.ReadResponse{State: imported.State, Identity: identity}
	read.Private = empty(read.Private)
	one.Read(ctx, resource.ReadRequest{State: imported.State, Identity: identity, Private: read.Private}, read)
	diags.Append(read.Diagnostics...)
	into.Raw = read.State.Raw
	return !read.State.Raw.IsNull()
}

// empty is a private state in which nothing is kept; its type has no name outside the framework.
func empty[T any](*T) *T { return new(T) }
