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
		MarkdownDescription: "An envelope on the hub contains objects that must not take effect on the hub itself, such as ResourceQuotas and webhook " +
			"configurations. A placement that selects it with `resource_selectors` places the objects inside instead of the envelope.\n\n" +
			"| engine | where the envelope is stored |\n|---|---|\n| `direct` | In a ConfigMap with the annotation " +
			"`kubernetes-fleet.io/envelope-configmap: \"true\"`. |\n| `kubefleet` | In a `ResourceEnvelope` for namespaced objects, and a " +
			"`ClusterResourceEnvelope` of the same name for cluster-scoped objects. If the hub does not serve these kinds, in a ConfigMap. |\n| " +
			"`kubeadmiral` | Not supported. Use the `manifests` of a placement. |\n\nA ClusterResourceEnvelope is cluster-scoped: its annotation " +
			"`" + envelope.NamespaceAnnotation + "` names the namespace of the envelope that it belongs to. A ClusterResourceEnvelope without the " +
			"annotation belongs to another client, and is neither imported nor written.\n\nThe plan parses and checks every manifest. The formatting " +
			"of the YAML is not a difference.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the envelope.", Validators: []validator.String{validate.ObjectName()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"namespace": schema.StringAttribute{
				Required: true, MarkdownDescription: "Namespace of the envelope on the hub. An envelope contains only objects of its own namespace " +
					"and cluster-scoped objects.",
				Validators:    []validator.String{validate.Namespace()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"wire_format": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Kind that stores the envelope: " + enum.OneOfWithDefault[envelope.WireFormat]() +
					". `Auto` uses the kinds that the hub serves, and separates cluster-scoped from namespaced objects. A `ResourceEnvelope` contains " +
					"only namespaced objects, a `ClusterResourceEnvelope` only cluster-scoped objects. A plan with `Auto` needs the hub. KubeFleet " +
					"hubs since v0.1 do not open a `ConfigMap`. With the engine `direct`, `Auto` means `ConfigMap`, " +
					"and the other values are not supported.",
				Validators: enum.Validators[envelope.WireFormat](),
			},
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels of the envelope. Labels that others add remain unchanged.",
			},
			"annotations": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Annotations of the envelope, in addition to those that mark it as an envelope. Annotations that others add " +
					"remain unchanged.",
			},
			"manifests": schema.MapAttribute{
				Required: true, Sensitive: true, ElementType: yamltext.Type{},
				MarkdownDescription: "The objects, one YAML document for each key. The keys are those of the envelope's data, such as " +
					"`resourceQuota.yaml`. A key with the value `null` is omitted. The argument is sensitive, because the objects can include a " +
					"Secret: a plan shows `manifests_masked` instead, and a generated configuration has `null`.",
				PlanModifiers: []planmodifier.Map{yamltext.KeepEquivalent()},
			},
			"manifests_masked": yamltext.MaskedAttribute(),
			"objects": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The objects in the envelope, in the order of their keys.",
				NestedObject: schema.NestedAttributeObject{Attributes: objects},
			},
			"resource_selectors": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "Selectors that place the envelope, with everything else in its namespace: use them as `resource_selectors` of " +
					"a `fleet_crp`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"group":   schema.StringAttribute{Computed: true, MarkdownDescription: "API group."},
					"version": schema.StringAttribute{Computed: true, MarkdownDescription: "API version."},
					"kind":    schema.StringAttribute{Computed: true, MarkdownDescription: "Kind."},
					"name":    schema.StringAttribute{Computed: true, MarkdownDescription: "Name."},
				}},
			},
			"uid": schema.StringAttribute{
				Computed: true, MarkdownDescription: "UID of the envelope on the hub. If a `ResourceEnvelope` and a `ClusterResourceEnvelope` store the envelope, the UID " +
					"of the `ResourceEnvelope`.",
			},
		},
	}
}
