// Package workload implements fleet_workload: the data source, the resource that stores a copy, and the list of workloads without an owner.
package workload

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

const (
	resourceDescription = "A copy of a running workload and its related objects on a member, to hand it over to a placement unchanged and without a " +
		"restart. The copy omits the fields that the cluster allocates and that its controllers write. **Nothing is written to any cluster**, neither " +
		"on create nor on destroy.\n\n" +
		"The plan takes the copy, so that it can preview a `fleet_crp` with its `manifests`. The resource then keeps the copy: after the takeover, " +
		"the placement defines the workload. A change of any argument takes another copy; `triggers` exists only for this purpose.\n\n" +
		"A plan warns if the takeover would replace Pods, and names the fields of the Pod template. To prevent that, write a `postcondition` with " +
		"`self.restart != \"rollout\"`.\n\n" +
		"The copy of a scaled workload omits the number of replicas, so that every cluster keeps its current number. A cluster that gets the workload " +
		"for the first time starts with 1 replica. A workload counts as scaled if a HorizontalPodAutoscaler names it, even one that is not copied, or " +
		"if its number of replicas was last set through the subresource `scale`, as every autoscaler does. The provider reads this from " +
		"`metadata.managedFields`. A number set with `kubectl scale` counts as intended and is copied. The plan says so if the scaler of the workload " +
		"is not copied.\n\n" +
		"Hubs fill in 1 replica where the number is missing:\n\n" +
		"With the engine `kubeadmiral`, the manifest of a scaled Deployment has the annotation `kubeadmiral.io/retain-replicas`: members keep their " +
		"numbers, whatever number is placed later.\n\nFor other kinds with the engine `kubeadmiral`, and with `through_hub` on the other engines, the " +
		"manifest has the current number. The plan warns, because placing it reverts the decisions of the autoscaler.\n\n" +
		"The provider reads no Secrets, because the state would have their values. `objects` lists the Secrets that the workload needs, and the plan " +
		"warns about them. They remain unchanged on the member. For other clusters, use the argument `manifests_wo` of `fleet_crp` with an ephemeral " +
		"value, or on a hub `resource_selectors`. A plain-text password in `env` of a container or in a ConfigMap is copied like any other value and " +
		"appears in plan and state: move it to a Secret first. PersistentVolumeClaims are also listed and not copied, because their data is not " +
		"copied. The provider does not search for the Namespace, Ingresses, NetworkPolicies and RoleBindings."

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
		MarkdownDescription: "Arbitrary strings. When one changes, the plan takes another copy of the current workload.",
	}
	return schema.Schema{MarkdownDescription: resourceDescription, Attributes: attributes}
}

// attributes returns the attributes that the resource and the data source share.
func attributes() map[string]schema.Attribute {
	identifying := func(in schema.StringAttribute, check ...validator.String) schema.StringAttribute {
		in.Validators, in.PlanModifiers = check, []planmodifier.String{stringplanmodifier.RequiresReplace()}
		return in
	}
	required := func(description string, check ...validator.String) schema.StringAttribute {
		return identifying(schema.StringAttribute{Required: true, MarkdownDescription: description}, check...)
	}
	optional := func(description string, check ...validator.String) schema.StringAttribute {
		return identifying(schema.StringAttribute{Optional: true, MarkdownDescription: description}, check...)
	}
	out := map[string]schema.Attribute{
		"cluster":   required("The member, a key of the provider argument `members`.", validate.AnyObjectName()),
		"group":     optional("API group, such as `apps`; omit it for the core group."),
		"version":   required("API version, such as `v1`.", validate.Filled("API version")),
		"kind":      required("Kind, such as `Deployment`.", validate.Filled("kind")),
		"namespace": optional("Namespace; omit it for cluster-scoped kinds.", validate.Namespace()),
		"name":      required("Name.", validate.AnyObjectName()),
		"include_related": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to also read the related objects of the workload: the " +
			"Services and PodDisruptionBudgets that select its Pods, the HorizontalPodAutoscalers that scale it, and the ConfigMaps and " +
			"ServiceAccounts that its Pods name. Default: `true`."},
		"through_hub": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether `restart` takes into account how the API server of the hub " +
			"changes the manifests, checked with a dry run there. Use it with an engine that stores the placed objects on the hub: an API server of " +
			"another version sets and drops other fields. The manifest of a scaled workload then has its number of replicas, because the hub would " +
			"fill in 1. Exception: a Deployment with the engine `kubeadmiral`, which has an annotation for this. Default: `false`."},
	}
	maps.Copy(out, foundAttributes())
	return out
}

// foundAttributes returns the attributes of the workload that was read.
func foundAttributes() map[string]schema.Attribute {
	objects := identifier.ObjectAttributes("for cluster-scoped kinds")
	maps.Copy(objects, map[string]schema.Attribute{
		"relation": schema.StringAttribute{Computed: true, MarkdownDescription: "How the object is related to the workload: " + enum.OneOf[workload.Relation]() +
			"."},
		"owner": schema.StringAttribute{Computed: true, MarkdownDescription: "Who manages the object, according to its labels, annotations and " +
			"owner references; empty if no owner is known."},
		"left_out": schema.StringAttribute{Computed: true, MarkdownDescription: "Why the object is not in `manifests`; empty if it is."},
	})
	return map[string]schema.Attribute{
		"manifests": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "The objects to place, for the argument " +
			"`manifests` of `fleet_crp` and of `fleet_envelope_configmap`."},
		"objects": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The workload and its related objects.", NestedObject: schema.NestedAttributeObject{Attributes: objects},
		},
		"restart": schema.StringAttribute{Computed: true, MarkdownDescription: "Whether handing the workload over replaces its Pods, according to a " +
			"dry run on the member that replaces the object by its manifest: " + enum.OneOf[workload.Restart]() + ". With `rollout`, the workload " +
			"replaces at least some of its Pods on its own. With `later`, it is paused, or its update strategy is `OnDelete` or has a partition. The " +
			"dry run needs the right to `patch` the workload; without it the outcome is `unknown`."},
		"restart_reason": schema.StringAttribute{Computed: true, MarkdownDescription: "Why `restart` is `unknown`; empty otherwise."},
		"restart_changes": schema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "The fields of the Pod template that would change.",
		},
	}
}
