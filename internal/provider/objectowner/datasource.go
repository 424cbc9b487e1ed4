// Package objectowner implements the data source fleet_object_owner.
package objectowner

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/difference"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// New returns the data source.
func New() datasource.DataSource { return lookup.New(query{}) }

type query struct{}

func (query) TypeName() string { return "object_owner" }

func (query) Schema() (schema.Schema, error) {
	attributes, err := convert.DataSource(identifier.OnMemberAttributes())
	if err != nil {
		return schema.Schema{}, err
	}
	maps.Copy(attributes, computedAttributes())
	return schema.Schema{MarkdownDescription: description, Attributes: attributes}, nil
}

const description = "Who owns an object on a member: which placement, hub, tool or controller, since when, and which field managers have written which " +
	"fields. Nothing is written. The data source reads only the metadata of the object, so no value of a Secret or of any other field reaches the state.\n\n" +
	"The data source recognizes an owner by these marks. The first that applies decides:\n\n1. The record of a placement of the engine `direct` on the member names the object with " +
	"its UID. The placement can belong to any configuration. The signature of the record is not verified: only the state of the placement has its key.\n2. An owner " +
	"reference to an `AppliedWork` (KubeFleet), or the label `kubeadmiral.io/managed` (KubeAdmiral).\n3. The label `applyset.kubernetes.io/part-of`.\n" +
	"4. An owner reference to a controller, for example to the ReplicaSet of a Pod. The data source follows controllers up to the topmost one and reports its " +
	"owner.\n5. The labels and annotations of Flux, Argo CD, Helm, Karmada, kapp, kpt, Config Sync and Pulumi.\n6. Other owner " +
	"references.\n7. Field managers of the object (not of its subresources), and the annotation of `kubectl apply`. If no earlier mark applies, the default " +
	"`field_manager` of this provider means that a placement left the object on the cluster.\n\n" +
	"The account needs the right to `get` the object and its controllers, and to `list` ConfigMaps in the namespace `fleet-system`."

func computedAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	controller, _ := convert.DataSource(identifier.ObjectAttributes("for cluster-scoped kinds")) // only attributes that can be converted
	mark := difference.OwnerAttributes()
	mark["mark"] = text("The mark that identifies the owner.")
	return map[string]schema.Attribute{
		"exists": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the object exists. If it does not, `description` says so, the kind of " +
			"`owner` is `none`, `deleting` is false, and the other computed attributes are null or empty."},
		"owner": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "The owner of the object, or of its topmost controller.", Attributes: difference.OwnerAttributes(),
		},
		"placement": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "The placement that is the owner; null if the owner is not a placement.", Attributes: map[string]schema.Attribute{
				"engine": text("The engine of the placement: `direct`, `kubefleet` or `kubeadmiral`."),
				"name": text("Name of the placement. It is empty with `kubeadmiral`, because no mark on the member contains it. With `kubefleet`, it comes from the " +
					"name of the `AppliedWork`."),
				"namespace": text("Namespace of a namespaced placement; empty otherwise. With `kubefleet`, it is the part before the first dot in the name of the " +
					"`AppliedWork`. If the name of a cluster-scoped placement contains a dot, the name is split: `namespace` has the part before the first dot, and " +
					"`name` the rest."),
				"id": text("Identity of the resource that manages a placement of the engine `direct`, according to the record on the member. Two placements of " +
					"different configurations can have the same name, and never the same identity. Empty for other engines."),
			},
		},
		"description": text("One sentence about the owner, for display."),
		"since": text("A time in RFC 3339: the owner has had the object at least since then. For an object that the placement created, it is the creation time. " +
			"For other objects, it is the last write of the field manager that set the mark, because a cluster stores no earlier time. Empty if unknown."),
		"created_at": text("Time at which the object was created, in RFC 3339."),
		"deleting":   schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the object is being deleted."},
		"marks": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "All marks of owners that the object itself has. The first decides.",
			NestedObject: schema.NestedAttributeObject{Attributes: mark},
		},
		"controllers": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The controllers of the object, the topmost last.",
			NestedObject: schema.NestedAttributeObject{Attributes: controller},
		},
		"managers": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The field managers of the object, according to its `metadata.managedFields`.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"manager":     text("Name of the field manager."),
				"operation":   text("`Apply` for a server-side apply, `Update` for every other write."),
				"subresource": text("Subresource of the writes, such as `scale` or `status`; empty for the object itself."),
				"time":        text("Time of the last write, in RFC 3339."),
				"fields": schema.ListAttribute{
					Computed: true, ElementType: types.StringType, MarkdownDescription: "Paths of the fields that the manager has written, without values. Elements of " +
						"lists are named by their key. The list has at most 200 paths.",
				},
				"more_fields": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of further fields that `fields` leaves out."},
			}},
		},
	}
}

// Read reads the owner.
func (query) Read(ctx context.Context, shared *session.Session, m *model, diags *diag.Diagnostics) {
	request := owners.Request{Cluster: m.Cluster.ValueString(), Object: m.Expand()}
	found, err := shared.Owners.Read(ctx, request)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		m.flattenMissing(ctx, request, diags)
		return
	case err != nil:
		report.MemberError(diags, fmt.Sprintf("The owner of %s on %q could not be read", request.Object, request.Cluster), err)
		return
	}
	report.UnreadRecords(diags, request.Cluster, found.RecordsErr)
	report.UnfollowedController(diags, request, found)
	m.flatten(ctx, request, found, diags)
}
