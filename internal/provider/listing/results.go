package listing

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// Item is one of the things that are listed.
type Item struct {
	Title string
	// Identity has what it is known by; what the resource's identity has not is passed over.
	Identity map[string]attr.Value
}

// Reader is how a thing is read.
type Reader struct {
	// Resource makes the resource by which one of the things is imported.
	Resource func() resource.Resource
	Session  *session.Session
}

// atOnce is how many things are read at once.
const atOnce = 8

// Results are the things in order, as many of them as are asked for, after what there is to say of the list.
func Results(ctx context.Context, request list.ListRequest, reader Reader, items []Item, said diag.Diagnostics) iter.Seq[list.ListResult] {
	if limit := int(request.Limit); limit > 0 && limit < len(items) {
		items = items[:limit]
	}
	out := make([]*list.ListResult, len(items))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, item := range items {
		group.Go(func() error {
			out[i] = reader.result(ctx, request, item)
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
func (r Reader) result(ctx context.Context, request list.ListRequest, item Item) *list.ListResult {
	out := request.NewListResult(ctx)
	out.DisplayName = printable.Line(item.Title)
	for attribute, value := range item.Identity {
		if text, isText := value.(types.String); isText && !text.IsNull() {
			value = convert.Line(text.ValueString())
		}
		if _, has := request.ResourceIdentitySchema.GetAttributes()[attribute]; has {
			out.Diagnostics.Append(out.Identity.SetAttribute(ctx, path.Root(attribute), value)...)
		}
	}
	if !request.IncludeResource {
		return &out
	}
	exists := r.read(ctx, out.Identity, out.Resource, &out.Diagnostics)
	if out.Diagnostics.HasError() {
		return &list.ListResult{Diagnostics: report.LeftOut(out.DisplayName, out.Diagnostics)}
	}
	if !exists {
		return nil
	}
	return &out
}

// read imports a thing and reads it, and puts it where the result has it. It returns false for one that is gone.
func (r Reader) read(ctx context.Context, identity *tfsdk.ResourceIdentity, into *tfsdk.Resource, diags *diag.Diagnostics) (exists bool) {
	one := r.Resource()
	configured := &resource.ConfigureResponse{}
	if with, is := one.(resource.ResourceWithConfigure); is {
		with.Configure(ctx, resource.ConfigureRequest{ProviderData: r.Session}, configured)
	}
	diags.Append(configured.Diagnostics...)
	importing, is := one.(resource.ResourceWithImportState)
	if !is {
		diags.AddError("The resource cannot be imported", "This is a bug in the provider.")
		return false
	}
	var schemas resource.SchemaResponse
	one.Schema(ctx, resource.SchemaRequest{}, &schemas)
	state := tfsdk.State{Schema: schemas.Schema, Raw: into.Raw}
	known := &tfsdk.ResourceIdentity{Schema: identity.Schema, Raw: identity.Raw}
	imported := &resource.ImportStateResponse{State: state, Identity: known}
	importing.ImportState(ctx, resource.ImportStateRequest{Identity: identity}, imported)
	diags.Append(imported.Diagnostics...)
	if diags.HasError() {
		return false
	}
	read := &resource.ReadResponse{State: imported.State, Identity: known}
	read.Private = empty(read.Private)
	one.Read(ctx, resource.ReadRequest{State: imported.State, Identity: known, Private: read.Private}, read)
	diags.Append(read.Diagnostics...)
	into.Raw = read.State.Raw
	return !read.State.Raw.IsNull()
}

// empty is a private state in which nothing is kept; its type has no name outside the framework.
func empty[T any](*T) *T { return new(T) }
