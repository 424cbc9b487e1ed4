// Package workload implements fleet_workload: the data source, the resource that stores a copy, and the list resource.
package workload

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
)

const (
	resourceDescription = "A copy of a workload that runs on a member, and of its related objects. Use the copy to hand the workload over to a " +
		"placement, unchanged and without a restart. The copy omits the fields that the cluster allocates and that its controllers write. **Nothing " +
		"is written to any cluster**, neither on create nor on destroy.\n\n" +
		"The provider copies the workload during the plan, so the same plan can preview a `fleet_crp` that places the copied `manifests`. The resource " +
		"stores the copy in the state and does not read the workload again, because after the takeover, the placement defines the workload. A change of any " +
		"argument makes another copy; `triggers` exists only for this purpose.\n\n" +
		"A plan warns if the takeover would replace Pods, and names the fields of the Pod template. To make such a plan fail, write a `postcondition` with " +
		"`self.restart != \"rollout\"`.\n\n" +
		"The copy of a scaled workload omits the number of replicas, so that every cluster keeps its current number. A cluster on which the placement " +
		"creates the workload starts with 1 replica. A workload counts as scaled in these cases:\n\n- A HorizontalPodAutoscaler names it, even if " +
		"that HorizontalPodAutoscaler is not copied.\n- Its number of replicas was last set through the subresource `scale`, according to its " +
		"`metadata.managedFields`, by any client except `kubectl`. All kinds of autoscalers write in this way. A number set with `kubectl scale` counts as " +
		"intended and is copied.\n\nIf the autoscaler is not copied, the plan reports it. If a manifest omits the number of replicas, the API server of a " +
		"hub or host cluster stores 1. The copy of a scaled workload is therefore different if its objects are stored there:\n\n| copy of a scaled workload | " +
		"number of replicas |\n|---|---|\n| a Deployment, engine `kubeadmiral` | omitted; the annotation " +
		"`kubeadmiral.io/retain-replicas` lets each member keep its number, even if another number is placed later |\n| another kind, engine " +
		"`kubeadmiral` | the current number; the plan warns, because the placement reverts the decisions of the autoscaler |\n| `through_hub` with " +
		"another engine | the current number, with the same warning |\n\nThe provider reads no Secrets, because the state would have their values. " +
		"`objects` lists the Secrets that the workload needs, and the plan warns about them. They remain unchanged on the member. To place them on " +
		"other clusters, use `manifests_wo` of `fleet_crp` with an ephemeral value, or select them on a hub with `resource_selectors`. A plain-text " +
		"password in `env` of a container or in a ConfigMap is copied like any other value and appears in plan and state: move it to a Secret first. " +
		"PersistentVolumeClaims are also listed and not copied, because their data is not copied. The provider does not search for the Namespace, " +
		"Ingresses, NetworkPolicies and RoleBindings."

	dataSourceDescription = "A running workload and its related objects on a member, prepared for a placement: without the fields that the cluster " +
		"allocates and that its controllers write. Nothing is written.\n\n" +
		"The data source reads the workload again in every run. To hand a workload over to a placement, use the resource " +
		"[`fleet_workload`](../resources/workload.md), which keeps its copy. With the data source, changes made on the member would become part of " +
		"the placement."
)

// Schema returns the schema of the resource.
func (*Resource) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = resourceSchema()
}

func resourceSchema() schema.Schema {
	attributes := attributes()
	attributes["triggers"] = schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Arbitrary strings. When one changes, the plan copies the current workload again.",
	}
	return schema.Schema{MarkdownDescription: resourceDescription, Attributes: attributes}
}

func attributes() map[string]schema.Attribute {
	out := identifier.OnMemberAttributes()
	maps.Copy(out, map[string]schema.Attribute{
		"include_related": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to also read the related objects of the workload: the " +
			"Services and PodDisruptionBudgets that select its Pods, the HorizontalPodAutoscalers that scale it, and the ConfigMaps and " +
			"ServiceAccounts that its Pods name. Default: `true`."},
		"through_hub": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether a dry run on the hub also checks how the API server there " +
			"changes the manifests. `restart` then includes these changes. Use the argument with an engine that stores the placed objects on the hub. " +
			"If the Kubernetes versions of hub and member differ, the API server of the hub sets and drops other fields than that of the member. The " +
			"manifest of a scaled workload then has a number of replicas, except for a Deployment with the engine `kubeadmiral`. Default: `false`."},
	})
	maps.Copy(out, foundAttributes())
	return out
}

func foundAttributes() map[string]schema.Attribute {
	objects := identifier.ObjectAttributes("for cluster-scoped kinds")
	maps.Copy(objects, map[string]schema.Attribute{
		"relation": schema.StringAttribute{Computed: true, MarkdownDescription: "How the object is related to the workload: " + enum.OneOf[workload.Relation]() +
			"."},
		"owner": schema.StringAttribute{Computed: true, MarkdownDescription: "Who manages the object, according to its labels, annotations and " +
			"owner references; empty if no owner is known."},
		"left_out": schema.StringAttribute{Computed: true, MarkdownDescription: "Why the object is not in `manifests`; empty if `manifests` contains it."},
	})
	return map[string]schema.Attribute{
		"manifests": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "The objects to place, for the argument " +
			"`manifests` of `fleet_crp` and of `fleet_envelope_configmap`."},
		"objects": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The workload and its related objects.", NestedObject: schema.NestedAttributeObject{Attributes: objects},
		},
		"restart": schema.StringAttribute{Computed: true, MarkdownDescription: "Whether the hand-over replaces Pods of the workload, according to a " +
			"dry run on the member: " + enum.OneOf[workload.Restart]() + ". With `rollout`, at least some Pods are replaced immediately, without further " +
			"action. With `later`, no Pod is replaced immediately: the workload is paused, its update strategy is `OnDelete`, or its partition excludes all " +
			"Pods. The dry run needs the right to `patch` the workload; without it the outcome is `unknown`."},
		"restart_reason": schema.StringAttribute{Computed: true, MarkdownDescription: "Why `restart` is `unknown`; empty otherwise."},
		"restart_changes": schema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "The fields of the Pod template that would change.",
		},
	}
}
