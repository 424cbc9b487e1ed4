package workload

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/listing"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

var _ list.ListResourceWithConfigure = (*List)(nil)

// List is the list resource fleet_workload.
type List struct{ session *session.Session }

// NewList returns the list resource.
func NewList() list.ListResource { return &List{} }

// Metadata returns the name of the resource type.
func (*List) Metadata(ctx context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	New().Metadata(ctx, request, response)
}

// Configure receives the session from the provider.
func (l *List) Configure(_ context.Context, request resource.ConfigureRequest, response *resource.ConfigureResponse) {
	l.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ListResourceConfigSchema returns the schema of the filters.
func (*List) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, response *list.ListResourceSchemaResponse) {
	response.Schema = schema.Schema{
		MarkdownDescription: "The unmanaged workloads on the members. A workload is unmanaged if it does not belong to a placement of any fleet, a " +
			"controller, a Helm release, Argo CD, Flux, Terraform or another tool. Workloads created with `kubectl` are included. Workloads in namespaces that " +
			"begin with `kube-` or `fleet-`, and workloads that are being deleted, are not. For objects of other kinds, such as Services and ConfigMaps, use " +
			"the data source [`fleet_member_objects`](../data-sources/member_objects.md). The results can be imported: `terraform query " +
			"-generate-config-out=FILE` writes their configuration. Needs Terraform 1.14.",
		Attributes: map[string]schema.Attribute{
			"clusters": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "The members to search, keys of the provider argument `members`. " +
					"The default is all members.",
				Validators: []validator.List{validate.Choice()},
			},
			"namespace": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only workloads in this namespace.", Validators: []validator.String{validate.Namespace()},
			},
			"kinds": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Only workloads of these kinds: " + enum.OneOf[domain.Kind]() +
					". The default is all of them except `Job`.",
				Validators: []validator.List{validate.Choice(enum.Validators[domain.Kind]()...)},
			},
			"label_selector": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only workloads that match this label selector, in the syntax of kubectl: `team=web,tier!=test`.",
				Validators: []validator.String{validate.String("label selector", validate.LabelSelector)},
			},
			"include_managed": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether to also list workloads that a Helm release, Argo CD, Flux, another Terraform configuration or " +
					"another tool manages. If two tools manage a workload, they revert each other's changes: stop the other tool before a placement " +
					"takes the workload over. Default: `false`.",
			},
		},
	}
}

type listModel struct {
	Clusters       types.List   `tfsdk:"clusters"`
	Namespace      types.String `tfsdk:"namespace"`
	Kinds          types.List   `tfsdk:"kinds"`
	LabelSelector  types.String `tfsdk:"label_selector"`
	IncludeManaged types.Bool   `tfsdk:"include_managed"`
}

func listRequest(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) workload.ListRequest {
	var data listModel
	diags.Append(config.Get(ctx, &data)...)
	kinds := convert.FromList[domain.Kind](ctx, data.Kinds, diags)
	if kinds == nil {
		kinds = domain.Lasting()
	}
	return workload.ListRequest{
		Clusters: convert.FromList[string](ctx, data.Clusters, diags), Kinds: kinds, Managed: data.IncludeManaged.ValueBool(),
		Filter: engine.Filter{Namespace: data.Namespace.ValueString(), LabelSelector: data.LabelSelector.ValueString()},
	}
}

// List lists the workloads.
func (l *List) List(ctx context.Context, request list.ListRequest, stream *list.ListResultsStream) {
	const what = "workloads"
	var diags diag.Diagnostics
	l.session.Ready(&diags)
	query := listRequest(ctx, request.Config, &diags)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	found, missed, err := l.session.Workloads.List(ctx, query)
	if err != nil {
		report.Unlisted(&diags, what, err)
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	report.MissedInList(&diags, what, missed)
	items := convert.All(found, func(w workload.Unmanaged) listing.Item {
		id := identifier.NewOnMember(w.Cluster, w.Identifier)
		return listing.Item{Title: formatTitle(w), Identity: map[string]attr.Value{
			"cluster": id.Cluster, "group": id.Group, "version": id.Version, "kind": id.Kind, "namespace": id.Namespace, "name": id.Name,
		}}
	})
	stream.Results = listing.Results(ctx, request, listing.Reader{Resource: New, Session: l.session}, items, diags)
}

func formatTitle(w workload.Unmanaged) string {
	out := fmt.Sprintf("%s on %s", w.Identifier, w.Cluster)
	if owner := w.Owner.String(); owner != "" {
		out += " (" + owner + ")"
	}
	return out
}
