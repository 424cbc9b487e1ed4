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

// Item is an object in a list.
type Item struct {
	Title string
	// Identity has the values that identify the object. Values that the resource's identity does not have are ignored.
	Identity map[string]attr.Value
}

// Reader reads the objects of a list.
type Reader struct {
	Resource func() resource.Resource
	Session  *session.Session
}

const maxParallel = 8

// Results returns the objects in order, up to the limit of the request, after the diagnostics of the list.
func Results(ctx context.Context, request list.ListRequest, reader Reader, items []Item, listDiags diag.Diagnostics) iter.Seq[list.ListResult] {
	if limit := int(request.Limit); limit > 0 && limit < len(items) {
		items = items[:limit]
	}
	out := make([]*list.ListResult, len(items))
	var group errgroup.Group
	group.SetLimit(maxParallel)
	for i, item := range items {
		group.Go(func() error {
			out[i] = reader.result(ctx, request, item)
			return nil
		})
	}
	_ = group.Wait()
	return func(push func(list.ListResult) bool) {
		if len(listDiags) > 0 && !push(list.ListResult{Diagnostics: listDiags}) {
			return
		}
		for _, result := range out {
			if result != nil && !push(*result) {
				return
			}
		}
	}
}

// result returns the result of one object, or nil if the object no longer exists. An object that cannot be read is omitted with a warning: an error
// would end the list.
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

// read imports and reads an object, and stores its state in target. It returns false if the object no longer exists. If diags has errors, the result has no meaning.
func (r Reader) read(ctx context.Context, identity *tfsdk.ResourceIdentity, target *tfsdk.Resource, diags *diag.Diagnostics) (exists bool) {
	res := r.Resource()
	configured := &resource.ConfigureResponse{}
	if with, ok := res.(resource.ResourceWithConfigure); ok {
		with.Configure(ctx, resource.ConfigureRequest{ProviderData: r.Session}, configured)
	}
	diags.Append(configured.Diagnostics...)
	importing, ok := res.(resource.ResourceWithImportState)
	if !ok {
		diags.AddError("The resource cannot be imported", "This is a bug in the provider.")
		return false
	}
	var schemas resource.SchemaResponse
	res.Schema(ctx, resource.SchemaRequest{}, &schemas)
	state := tfsdk.State{Schema: schemas.Schema, Raw: target.Raw}
	known := &tfsdk.ResourceIdentity{Schema: identity.Schema, Raw: identity.Raw}
	imported := &resource.ImportStateResponse{State: state, Identity: known}
	importing.ImportState(ctx, resource.ImportStateRequest{Identity: identity}, imported)
	diags.Append(imported.Diagnostics...)
	if diags.HasError() {
		return false
	}
	read := &resource.ReadResponse{State: imported.State, Identity: known}
	read.Private = newEmpty(read.Private)
	res.Read(ctx, resource.ReadRequest{State: imported.State, Identity: known, Private: read.Private}, read)
	diags.Append(read.Diagnostics...)
	target.Raw = read.State.Raw
	return !read.State.Raw.IsNull()
}

// newEmpty returns an empty private state. The framework does not export its type.
func newEmpty[T any](*T) *T { return new(T) }
