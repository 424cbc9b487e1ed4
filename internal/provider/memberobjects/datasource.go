// Package memberobjects implements the data source fleet_member_objects.
package memberobjects

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/difference"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	texts "github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

// New returns the data source.
func New() datasource.DataSource { return lookup.New(query{}) }

type query struct{}

func (query) TypeName() string { return "member_objects" }

const defaultLimit = 1000

const description = "The objects of a member with their owners, for example the objects that no placement, hub or tool owns: " +
	"`owned_by = [\"none\", \"released\", \"kubectl\"]`. Nothing is " +
	"written. The data source lists only the metadata of objects, so no value of a Secret or of any other field reaches the state. See " +
	"[`fleet_object_owner`](object_owner.md) for the marks that identify an owner, and for all details about one object. Unlike that data source, this one does not determine who owns a controller.\n\n" +
	"Objects that are being deleted are left out. The following objects are left out unless the arguments name them:\n\n- objects in namespaces that begin with " +
	"`kube-` or `fleet-`: see " +
	"`namespaces`\n- Events, Endpoints, EndpointSlices and Leases: see `kinds`\n- objects of controllers, such as the ReplicaSets of a Deployment, and objects of " +
	"Kubernetes itself: see `owned_by`\n\nThe account needs the right to `list` the kinds, and ConfigMaps in the namespace `fleet-system`. If it is not allowed to " +
	"list a kind, `unread` names the kind, and the plan warns. The file `plan.yaml` in " +
	"[examples/rbac](https://github.com/terraform-fleet/terraform-provider-fleet/tree/main/examples/rbac) contains these rights."

func (query) Schema() (schema.Schema, error) {
	attributes := map[string]schema.Attribute{
		"cluster": schema.StringAttribute{
			Required: true, MarkdownDescription: "The member, a key of the provider argument `members`.", Validators: []validator.String{validate.AnyObjectName()},
		},
		"namespaces": textsAttribute("Only objects in these namespaces, and no cluster-scoped objects. The default is all namespaces that do not begin with `kube-` "+
			"or `fleet-`, and cluster-scoped objects.", validate.Namespace()),
		"groups": textsAttribute("Only kinds of these API groups; `\"\"` is the core group. The default is all groups."),
		"kinds":  textsAttribute("Only these kinds, such as `ConfigMap`. The default is all kinds that can be created, except Events, Endpoints, EndpointSlices and Leases.", validate.Filled("kind")),
		"label_selector": schema.StringAttribute{
			Optional: true, MarkdownDescription: "Only objects that match this label selector, in the syntax of kubectl: `team=web,tier!=test`.",
			Validators: []validator.String{validate.String("label selector", validate.LabelSelector)},
		},
		"owned_by": textsAttribute("Only objects with these kinds of owners: "+enum.OneOf[takeover.OwnerKind]()+". The default is all except `controller` and "+
			"`kubernetes`.", enum.Validators[takeover.OwnerKind]()...),
		"limit": schema.Int32Attribute{
			Optional: true, CustomType: wholenumber.Type{}, MarkdownDescription: fmt.Sprintf("Maximum number of objects. If more objects match, the read fails: a list that lacks objects would look "+
				"complete. Default: `%d`.", defaultLimit),
			Validators: []validator.Int32{validate.AtLeast(1)},
		},
	}
	computed, err := computedAttributes()
	maps.Copy(attributes, computed)
	return schema.Schema{MarkdownDescription: description, Attributes: attributes}, err
}

func textsAttribute(description string, each ...validator.String) schema.ListAttribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: description, Validators: []validator.List{validate.Choice(each...)},
	}
}

func computedAttributes() (map[string]schema.Attribute, error) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	object, err := convert.DataSource(identifier.ObjectAttributes("for cluster-scoped kinds"))
	if err != nil {
		return nil, err
	}
	object["owner"] = schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "The owner of the object.", Attributes: difference.OwnerAttributes()}
	return map[string]schema.Attribute{
		"objects": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The objects, sorted by API group, kind, namespace and name.",
			NestedObject: schema.NestedAttributeObject{Attributes: object},
		},
		"unread": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The kinds that could not be listed. The list lacks their objects.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"kind":      text("Kind, with its API group, such as `Deployment.apps`; or `every kind of GROUP/VERSION` if the API service of that version is unavailable."),
				"namespace": text("Namespace in which the kind could not be listed; empty if the failed list covers all namespaces."),
				"message":   text("Why the kind could not be listed."),
			}},
		},
	}, nil
}

type model struct {
	Cluster       types.String      `tfsdk:"cluster"`
	Namespaces    types.List        `tfsdk:"namespaces"`
	Groups        types.List        `tfsdk:"groups"`
	Kinds         types.List        `tfsdk:"kinds"`
	LabelSelector types.String      `tfsdk:"label_selector"`
	OwnedBy       types.List        `tfsdk:"owned_by"`
	Limit         wholenumber.Value `tfsdk:"limit"`
	Objects       types.List        `tfsdk:"objects"`
	Unread        types.List        `tfsdk:"unread"`
}

type objectModel struct {
	identifier.Object
	Owner difference.Owner `tfsdk:"owner"`
}

type unreadModel struct {
	Kind      string `tfsdk:"kind"`
	Namespace string `tfsdk:"namespace"`
	Message   string `tfsdk:"message"`
}

func (m model) request(ctx context.Context, diags *diag.Diagnostics) owners.ListRequest {
	out := owners.ListRequest{
		Cluster: m.Cluster.ValueString(), Namespaces: convert.FromList[string](ctx, m.Namespaces, diags), Groups: convert.FromList[string](ctx, m.Groups, diags),
		Kinds: convert.FromList[string](ctx, m.Kinds, diags), LabelSelector: m.LabelSelector.ValueString(),
		OwnedBy: convert.FromList[takeover.OwnerKind](ctx, m.OwnedBy, diags), Limit: defaultLimit,
	}
	if !m.Limit.IsNull() {
		out.Limit = int(m.Limit.ValueInt32())
	}
	if out.OwnedBy == nil {
		out.OwnedBy = owners.ByDefault()
	}
	return out
}

// Read lists the objects.
func (query) Read(ctx context.Context, shared *session.Session, m *model, diags *diag.Diagnostics) {
	request := m.request(ctx, diags)
	if diags.HasError() {
		return
	}
	listed, err := shared.Owners.List(ctx, request)
	if err != nil {
		report.MemberError(diags, fmt.Sprintf("The objects on %q could not be listed", request.Cluster), err)
		return
	}
	report.UnreadRecords(diags, request.Cluster, listed.RecordsErr)
	report.UnreadKinds(diags, request.Cluster, listed.Unread)
	attributes, err := computedAttributes()
	if err != nil {
		lookup.AddSchemaError("member_objects", err, diags)
		return
	}
	m.Objects = convert.List(ctx, attributes["objects"], convert.All(listed.Objects, func(o owners.Owned) objectModel {
		return objectModel{Object: identifier.FlattenObject(o.Identifier), Owner: difference.FlattenCurrentOwner(o.Owner)}
	}), diags)
	m.Unread = convert.List(ctx, attributes["unread"], convert.All(listed.Unread, func(u owners.Unread) unreadModel {
		return unreadModel{Kind: u.Kind, Namespace: u.Namespace, Message: texts.Message(u.Err.Error())}
	}), diags)
}
