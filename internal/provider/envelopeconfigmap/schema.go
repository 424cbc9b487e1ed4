package envelopeconfigmap

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

func resourceSchema() schema.Schema {
	objects := identifier.ObjectAttributes("if the manifest has none")
	objects["key"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Key of the manifest."}
	return schema.Schema{
		Version: 1,
		MarkdownDescription: "An envelope on the hub carries objects which must not take effect there: resource quotas, webhook configurations, " +
			"and other reserved kinds. A placement that selects it, with `resource_selectors`, places the objects inside instead of the envelope.\n\n" +
			"The engine `direct` keeps it in a ConfigMap with the annotation `kubernetes-fleet.io/envelope-configmap: \"true\"`. The engine `kubefleet` " +
			"keeps it in a ResourceEnvelope, and what is cluster-scoped in a ClusterResourceEnvelope of the same name; where the hub does not serve " +
			"these, it is a ConfigMap. A ClusterResourceEnvelope is in no namespace: the annotation `" + envelope.NamespaceAnnotation + "` says to which " +
			"namespace's envelope it belongs. One that lacks it is somebody else's, and is neither imported nor written.\n\n" +
			"Every manifest is parsed and checked when the plan is made. How the YAML is formatted is not a difference. A host of KubeAdmiral opens no envelopes: the " +
			"`manifests` of a placement are for it.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the envelope.", Validators: []validator.String{validate.ObjectName()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"namespace": schema.StringAttribute{
				Required: true, MarkdownDescription: "Namespace of the envelope on the hub. Namespaced objects inside must be of the same one.",
				Validators:    []validator.String{validate.Namespace()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"wire_format": schema.StringAttribute{
				Optional: true, MarkdownDescription: "What the envelope is kept in: " + enum.OneOfWithDefault[envelope.WireFormat]() + ". `Auto` asks the hub what it serves, " +
					"and keeps what is cluster-scoped apart from what is in the namespace. A `ResourceEnvelope` carries only the latter, a `ClusterResourceEnvelope` only " +
					"the former. A plan with `Auto` needs the hub. Hubs of KubeFleet since v0.1 do not open a `ConfigMap`; with the engine `direct` it is the only one.",
				Validators: enum.Validators[envelope.WireFormat](),
			},
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels of the envelope. What others add is left alone.",
			},
			"annotations": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Annotations of the envelope, besides those that mark it as one. What others add is left alone.",
			},
			"manifests": schema.MapAttribute{
				Required: true, Sensitive: true, ElementType: yamltext.Type{},
				MarkdownDescription: "The objects, one YAML document for each key. The keys are those of the envelope's data, such as " +
					"`resourceQuota.yaml`. A key whose text is `null` is left out. A plan shows `manifests_masked` instead, and a generated " +
					"configuration has `null`: all of it is sensitive, because a Secret may be among them.",
				PlanModifiers: []planmodifier.Map{yamltext.KeepEquivalent()},
			},
			"manifests_masked": yamltext.MaskedAttribute(),
			"objects": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The objects inside, in the order of their keys.",
				NestedObject: schema.NestedAttributeObject{Attributes: objects},
			},
			"resource_selectors": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "Selectors that bring the envelope into a placement, with everything else in its namespace: use them as `resource_selectors` of a " +
					"`fleet_crp`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"group":   schema.StringAttribute{Computed: true, MarkdownDescription: "API group."},
					"version": schema.StringAttribute{Computed: true, MarkdownDescription: "API version."},
					"kind":    schema.StringAttribute{Computed: true, MarkdownDescription: "Kind."},
					"name":    schema.StringAttribute{Computed: true, MarkdownDescription: "Name."},
				}},
			},
			"uid": schema.StringAttribute{
				Computed: true, MarkdownDescription: "UID of the envelope on the hub: of the first object that it is kept in.",
			},
		},
	}
}
