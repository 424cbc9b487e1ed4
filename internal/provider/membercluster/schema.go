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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/taint"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/timeout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

func resourceSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		Version: 1,
		MarkdownDescription: "A member cluster of the fleet, with the labels and taints that placements use to pick clusters. The arguments are " +
			"those of KubeFleet's `MemberCluster`.\n\n" +
			"The registration depends on the engine:\n\n" +
			"| engine | registration |\n|---|---|\n| `direct` | A ConfigMap `fleet-system/member-cluster` on the member itself, with the UID of the " +
			"cluster. |\n| `kubefleet` | A `MemberCluster` on the hub. |\n| `kubeadmiral` | A `FederatedCluster` on the host, and a Secret with the " +
			"credentials of the provider's connection to the member. The host uses them to create its own account on the member. |\n\nWith the engine " +
			"`direct`, destroying the resource ends the membership, and all placed objects remain on the cluster. If the connection leads to another " +
			"cluster than the registered one, the provider writes nothing there.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the member, at most 50 characters. With the engines `direct` and `kubeadmiral`, the provider argument " +
					"`members` must have a connection of that name, unless `adopt_existing` is `true` (`kubeadmiral`).",
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels by which placements pick clusters.",
			},
			"annotations": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Annotations."},
			"taints":      taint.Attribute("Taints. A placement that does not tolerate them does not pick the member. A new taint removes no placement from the member. At most 100."),
			"heartbeat_period_seconds": schema.Int32Attribute{
				CustomType: wholenumber.Type{}, Optional: true, MarkdownDescription: "Seconds between the heartbeats of the member's agent, 1 to " +
					"600. Engine `kubefleet` only: the other engines have no agents and ignore it.",
			},
			"identity": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "The subject of the member's agent on the hub. Engine `kubefleet` only: the other engines have " +
					"no agents and ignore it.",
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
				Optional: true, MarkdownDescription: "Checks before the member is removed.",
				Attributes: map[string]schema.Attribute{
					"validation_mode": schema.StringAttribute{
						Optional: true, MarkdownDescription: enum.OneOfWithDefault[member.ValidationMode]() + ". With `Strict`, a hub with KubeFleet's " +
							"networking agents rejects the removal while the member exports Services. With `Skip`, the hub does not check. Engine " +
							"`kubefleet` only.",
					},
					"on_unreachable": schema.StringAttribute{
						Optional: true, MarkdownDescription: "What happens if the member is removed and its cluster is unreachable: " + enum.OneOfWithDefault[member.OnUnreachable]() +
							". `Forget` removes the member from the state, so that a cluster that no longer exists does not block the run. A warning " +
							"says what remains on the cluster. `Error` returns an error. A member without a connection in the provider is always " +
							"removed from the state. Engine `direct` only. The other engines store the registration on the hub, and an unreachable " +
							"hub is always an error.",
						Validators: enum.Validators[member.OnUnreachable](),
					},
				},
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether another system creates and removes the member, as Azure does for the members of its " +
					"fleets. The resource then manages only the configured `labels`, `annotations` and `taints`, and ignores everything else in the " +
					"registration. A destroy removes the configured labels, annotations and taints, and the member remains in the fleet. The member must " +
					"exist before the apply. To unset the argument, remove the resource from the state, and import the member, with its `identity` in the " +
					"configuration. Engines `kubefleet` and `kubeadmiral`.",
			},
			"timeouts": timeout.Attribute(ctx, timeouts.Opts{Delete: true, DeleteDescription: "How long a destroy waits, such as `30m`. " +
				"The default is 20 minutes. With the engine `kubefleet`, the hub removes the member when its agent has left the fleet. If the agent " +
				"no longer runs, the hub waits for the `force-delete-wait-time` of the hub agent (15 minutes by default). After the timeout, the " +
				"destroy returns an error, and the next destroy continues to wait."}),
			"agent":  agentSchema(),
			"status": statusSchema(),
		},
	}
}

func agentSchema() schema.SingleNestedAttribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "Identity and objects of the member's agent on the hub. The ephemeral resource `fleet_member_token` has " +
			"the agent's token. Null with `adopt_existing`, because another system manages the agent. Null with all engines except `kubefleet`, " +
			"because they have no agents.",
		Attributes: map[string]schema.Attribute{
			"identity_name": text("Name of the `ServiceAccount`, user or group of the agent. Without `identity`, it is a `ServiceAccount` that is " +
				"created and removed with the member."),
			"identity_namespace": text("Namespace of the `ServiceAccount`; empty for a user or a group."),
			"member_namespace":   text("Namespace that the hub creates and reserves for the member."),
			"role": text("Name of the `Role` in `member_namespace`. The hub creates the `Role` and binds it to the agent. The agent has no other rights " +
				"on the hub."),
		},
	}
}

// statusSchema returns the schema of the status. Each change prints the old status in the plan, so the status is small.
func statusSchema() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "Current state of the member. For its properties and resources, and for the error message of an " +
			"unreachable cluster, use the data source `fleet_member_clusters`.",
		Attributes: map[string]schema.Attribute{
			"cluster_uid": schema.StringAttribute{
				Computed: true, MarkdownDescription: "UID of the cluster's `kube-system` namespace, which identifies the cluster.",
			},
			"conditions": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Conditions by type, `Joined` and `Healthy`: `True`, or status and reason, as in `False: Unreachable`.",
			},
		},
	}
}
