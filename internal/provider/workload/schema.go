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
	resourceDescription = "The copy of a workload that runs on a member, with what belongs to it, for handing it over to a placement as it is, without a restart. What the " +
		"cluster gave out and what its controllers keep is left out of it. **Nothing is written to any cluster**, neither when it is created nor when it is " +
		"destroyed.\n\n" +
		"The copy is taken when the plan is made, so that a `fleet_crp` with its `manifests` is previewed in the same plan. Then it is kept: after the takeover it " +
		"is the placement that says how the workload is. A change of any argument takes another copy; `triggers` is there for that alone.\n\n" +
		"A plan warns if the takeover would replace Pods, and names the fields of the Pod template. To refuse that, write a `postcondition` with " +
		"`self.restart != \"rollout\"`.\n\n" +
		"The number of replicas is left out of a workload that is scaled, so that every cluster keeps the number that it has; one that gets the workload anew begins " +
		"with 1. Scaled is what a HorizontalPodAutoscaler names, whether it comes along or not, and what somebody has set the number of last through the subresource " +
		"`scale`, as every autoscaler does: `metadata.managedFields` tell. `kubectl scale` is taken for somebody's wish, and its number is kept. The plan says it where " +
		"what scales the workload does not come along. A host of KubeAdmiral would fill in 1 replica: for the engine `kubeadmiral` the manifest of a scaled Deployment has the " +
		"annotation `kubeadmiral.io/retain-replicas`, by which members keep their numbers, whatever number is placed later. Of other kinds there, and with `through_hub` on " +
		"the other engines, the number of the moment stays, and the plan warns, because placing it undoes what the autoscaler decides.\n\n" +
		"No Secret is read, because its values would stand in the state. `objects` names those that the workload needs, and the plan warns about them: on the " +
		"member they stay as they are, and other clusters get them by the argument `manifests_wo` of `fleet_crp`, from an ephemeral value, or on a hub by " +
		"`resource_selectors`. A password that stands as it is in `env` of a container or in a ConfigMap is copied like any other value, and stands in plan and " +
		"state: move it to a Secret first. PersistentVolumeClaims are named and left out as well: their data does not come along. The Namespace, Ingresses, NetworkPolicies and " +
		"RoleBindings are not looked for."

	dataSourceDescription = "A workload that runs on a member, with what belongs to it, cleaned for a placement: what the cluster gave out and what its " +
		"controllers keep is left out. Nothing is written.\n\n" +
		"It is read anew in every run. To hand a workload over to a placement use the resource [`fleet_workload`](../resources/workload.md), which keeps what it " +
		"has read: what somebody changes on the member would become what is placed."
)

// Schema returns the schema of the resource.
func (*Resource) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = resourceSchema()
}

func resourceSchema() schema.Schema {
	attributes := attributes()
	attributes["triggers"] = schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Texts of any meaning. When one changes, another copy is taken, of the workload as it is then.",
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
		"group":     optional("API group, such as `apps`; none for Kubernetes' core."),
		"version":   required("API version, such as `v1`.", validate.Filled("API version")),
		"kind":      required("Kind, such as `Deployment`.", validate.Filled("kind")),
		"namespace": optional("Namespace; none for cluster-scoped kinds.", validate.Namespace()),
		"name":      required("Name.", validate.AnyObjectName()),
		"include_related": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to read what belongs to a workload as well: the Services and " +
			"PodDisruptionBudgets that select its Pods, the HorizontalPodAutoscalers that scale it, and the ConfigMaps and ServiceAccounts that its Pods name. " +
			"Default: `true`."},
		"through_hub": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether `restart` reckons with what the hub's API server makes of the " +
			"manifests, by a dry run there: for an engine that stores on the hub what it places. An API server of another version fills in and drops other fields. " +
			"The number of replicas of what is scaled stays then, because the hub would fill in 1, but for a Deployment with " +
			"the engine `kubeadmiral`, whose hosts can be told not to. Default: `false`."},
	}
	maps.Copy(out, foundAttributes())
	return out
}

// foundAttributes returns the attributes of the workload that was read.
func foundAttributes() map[string]schema.Attribute {
	objects := identifier.ObjectAttributes("for cluster-scoped kinds")
	maps.Copy(objects, map[string]schema.Attribute{
		"relation": schema.StringAttribute{Computed: true, MarkdownDescription: "Why it belongs to the workload: " + enum.OneOf[workload.Relation]() + "."},
		"owner":    schema.StringAttribute{Computed: true, MarkdownDescription: "Who looks after it, by its marks; empty for nobody."},
		"left_out": schema.StringAttribute{Computed: true, MarkdownDescription: "Why it is not among the manifests; empty for what is."},
	})
	return map[string]schema.Attribute{
		"manifests": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "What a placement can have, as the argument " +
			"`manifests` of `fleet_crp` and of `fleet_envelope_configmap` takes it."},
		"objects": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The workload and what belongs to it.", NestedObject: schema.NestedAttributeObject{Attributes: objects},
		},
		"restart": schema.StringAttribute{Computed: true, MarkdownDescription: "Whether handing the workload over replaces its Pods, by a dry run on the " +
			"member of a write that leaves nothing but the manifest: " + enum.OneOf[workload.Restart]() + ". `rollout` is for what replaces at " +
			"least some of its Pods by itself, `later` for what is paused, updated on deletion or held by its partition. The dry run " +
			"needs the right to `patch` the workload; without it the outcome is `unknown`."},
		"restart_reason": schema.StringAttribute{Computed: true, MarkdownDescription: "Why that is `unknown`; empty otherwise."},
		"restart_changes": schema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "The fields of the Pod template that would change.",
		},
	}
}
