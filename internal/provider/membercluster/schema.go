package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

func resourceSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		Version: 1,
		MarkdownDescription: "A cluster that takes part in the fleet, with the labels and taints that placements are decided by. " +
			"The arguments are those of KubeFleet's `MemberCluster`.\n\n" +
			"In the `direct` engine the registration is a ConfigMap `fleet-system/member-cluster` on the member itself, which also keeps the " +
			"UID of the cluster: when another cluster answers under the same name, nothing is written to it. Destroying the resource ends the " +
			"membership and leaves everything that was placed on the cluster where it is.\n\n" +
			"On a host of KubeAdmiral it is a `FederatedCluster`, and a Secret with the credentials of the provider's connection to the member, with which " +
			"the host makes an account of its own there.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the member, at most 50 characters. In the engines `direct` and `kubeadmiral` the provider argument " +
					"`members` must have a connection of that name.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels that placements select clusters by.",
			},
			"annotations": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Annotations."},
			"taints": schema.SetNestedAttribute{
				Optional: true, MarkdownDescription: "Taints keep placements away that do not tolerate them. At most 100.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"key":   schema.StringAttribute{Required: true, MarkdownDescription: "Key of the taint."},
					"value": schema.StringAttribute{Optional: true, MarkdownDescription: "Value of the taint."},
					"effect": schema.StringAttribute{
						Required: true, MarkdownDescription: enum.OneOf[member.TaintEffect]() + " is the only effect there is.",
					},
				}},
			},
			"heartbeat_period_seconds": schema.Int32Attribute{
				CustomType: wholenumber.Type{}, Optional: true, MarkdownDescription: "Seconds between the heartbeats of the member's agent, 1 to 600. Of the engine " +
					"`kubefleet`: the others have no agents and do not use it.",
			},
			"identity": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "The subject that the member's agent acts as on the hub. Of the engine `kubefleet`: the others have " +
					"no agents and do not use it.",
				Attributes: map[string]schema.Attribute{
					"kind": schema.StringAttribute{
						Required: true, MarkdownDescription: enum.OneOf[member.IdentityKind]() + ".",
					},
					"name":      schema.StringAttribute{Required: true, MarkdownDescription: "Name of the subject."},
					"api_group": schema.StringAttribute{Optional: true, MarkdownDescription: "API group of the subject."},
					"namespace": schema.StringAttribute{Optional: true, MarkdownDescription: "Namespace of the subject."},
				},
			},
			"delete_options": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "How careful the removal of the member is.",
				Attributes: map[string]schema.Attribute{
					"validation_mode": schema.StringAttribute{
						Optional: true, MarkdownDescription: enum.OneOfWithDefault[member.ValidationMode]() + ". Of the engine `kubefleet`.",
					},
					"on_unreachable": schema.StringAttribute{
						Optional: true, MarkdownDescription: "What happens when the member is removed and its cluster does not answer: " +
							enum.OneOfWithDefault[member.OnUnreachable]() + ". Of the engine `direct`, which keeps the registration there: a hub that does not " +
							"answer is always an error. `Forget` takes it out of the state with a warning that says what stays on " +
							"the cluster, so that one that is gone for good holds up nobody; `Error` ends with an error. A member that the provider has no " +
							"connection to any more is always forgotten.",
						Validators: enum.Validators[member.OnUnreachable](),
					},
				},
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether another system makes and removes the member, as Azure does for the members of its fleets. Then only the " +
					"`labels`, `annotations` and `taints` that are configured are managed here: everything else of the registration is no difference, " +
					"and a destroy takes these away and leaves the member in the fleet. The member must be there when this is applied. It can be taken " +
					"back only by removing the resource from the state. In the engines `kubefleet` and `kubeadmiral`.",
			},
			"timeouts": placement.TimeoutsAttribute(ctx, timeouts.Opts{Delete: true, DeleteDescription: "How long a destroy waits, such as `30m`. The default is " +
				"20 minutes. The engine `kubefleet` waits until the hub lets the member go: once the agent there has left, or, if it does not run any more, after " +
				"the `force-delete-wait-time` of the hub's agent, which is 15 minutes if nobody has set it. What has not ended by then is an error, and the " +
				"next destroy waits on."}),
			"agent":  agentSchema(),
			"status": statusSchema(),
		},
	}
}

// agentSchema returns the schema of the agent. It depends on the name and the identity, so that a plan knows it.
func agentSchema() schema.SingleNestedAttribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "Who the member's agent is on the hub, and what the hub has for it there. The token that it signs in with is the " +
			"ephemeral resource `fleet_member_token`. Only hubs of KubeFleet have agents: elsewhere it is null. It is also null with `adopt_existing`, because " +
			"another system decides about the agent.",
		Attributes: map[string]schema.Attribute{
			"identity_name": text("Name of the `ServiceAccount`, user or group that the agent acts as. Without `identity` it is a `ServiceAccount` that is made " +
				"with the member, and removed with it."),
			"identity_namespace": text("Namespace of the `ServiceAccount`; empty for a user or a group."),
			"member_namespace":   text("Namespace that the hub makes for the member and reserves to it."),
			"role":               text("`Role` in that namespace, which the hub makes and binds to the agent. The agent has no other rights on the hub."),
		},
	}
}

// statusSchema returns the schema of the status. Each change prints the old status in the plan, so the status is small.
func statusSchema() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "What the member is like now. Its properties and resources are in the data source `fleet_member_clusters`, " +
			"with the message of a cluster that does not answer.",
		Attributes: map[string]schema.Attribute{
			"cluster_uid": schema.StringAttribute{
				Computed: true, MarkdownDescription: "UID of the cluster's `kube-system` namespace, by which the cluster is recognised.",
			},
			"conditions": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Conditions by type, `Joined` and `Healthy`: `True`, or status and reason, as in `False: Unreachable`.",
			},
		},
	}
}
