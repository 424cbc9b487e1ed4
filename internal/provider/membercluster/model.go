package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

type model struct {
	Name                   types.String `tfsdk:"name"`
	Labels                 types.Map    `tfsdk:"labels"`
	Annotations            types.Map    `tfsdk:"annotations"`
	Taints                 types.List   `tfsdk:"taints"`
	HeartbeatPeriodSeconds types.Int32  `tfsdk:"heartbeat_period_seconds"`
	Identity               types.Object `tfsdk:"identity"`
	DeleteOptions          types.Object `tfsdk:"delete_options"`
	Status                 types.Object `tfsdk:"status"`
}

type taintModel struct {
	Key    types.String `tfsdk:"key"`
	Value  types.String `tfsdk:"value"`
	Effect types.String `tfsdk:"effect"`
}

type identityModel struct {
	Kind      types.String `tfsdk:"kind"`
	Name      types.String `tfsdk:"name"`
	APIGroup  types.String `tfsdk:"api_group"`
	Namespace types.String `tfsdk:"namespace"`
}

type deleteOptionsModel struct {
	ValidationMode types.String `tfsdk:"validation_mode"`
}

type statusModel struct {
	ClusterUID    types.String              `tfsdk:"cluster_uid"`
	Conditions    map[string]conditionModel `tfsdk:"conditions"`
	Properties    map[string]string         `tfsdk:"properties"`
	ResourceUsage *usageModel               `tfsdk:"resource_usage"`
}

type conditionModel struct {
	Status  string `tfsdk:"status"`
	Reason  string `tfsdk:"reason"`
	Message string `tfsdk:"message"`
}

type usageModel struct {
	Capacity    map[string]string `tfsdk:"capacity"`
	Allocatable map[string]string `tfsdk:"allocatable"`
	Available   map[string]string `tfsdk:"available"`
}

// expand turns the model into the domain's value.
func (m model) expand(ctx context.Context, diags *diag.Diagnostics) member.Spec {
	out := member.Spec{Name: m.Name.ValueString()}
	diags.Append(m.Labels.ElementsAs(ctx, &out.Labels, false)...)
	diags.Append(m.Annotations.ElementsAs(ctx, &out.Annotations, false)...)
	var taints []taintModel
	diags.Append(m.Taints.ElementsAs(ctx, &taints, false)...)
	if !m.Taints.IsNull() {
		out.Taints = []member.Taint{}
	}
	for _, t := range taints {
		out.Taints = append(out.Taints, member.Taint{Key: t.Key.ValueString(), Value: t.Value.ValueString(), Effect: t.Effect.ValueString()})
	}
	if !m.HeartbeatPeriodSeconds.IsNull() {
		out.HeartbeatPeriodSeconds = m.HeartbeatPeriodSeconds.ValueInt32Pointer()
	}
	if !m.Identity.IsNull() {
		var identity identityModel
		diags.Append(m.Identity.As(ctx, &identity, basetypes.ObjectAsOptions{})...)
		out.Identity = &member.Identity{
			Kind: identity.Kind.ValueString(), Name: identity.Name.ValueString(),
			APIGroup: identity.APIGroup.ValueString(), Namespace: identity.Namespace.ValueString(),
		}
	}
	if !m.DeleteOptions.IsNull() {
		var options deleteOptionsModel
		diags.Append(m.DeleteOptions.As(ctx, &options, basetypes.ObjectAsOptions{})...)
		out.DeleteOptions = &member.DeleteOptions{ValidationMode: options.ValidationMode.ValueString()}
	}
	return out
}

// flatten turns the domain's value into the model, status apart.
func flatten(ctx context.Context, spec member.Spec, diags *diag.Diagnostics) model {
	out := model{
		Name: types.StringValue(spec.Name), HeartbeatPeriodSeconds: types.Int32PointerValue(spec.HeartbeatPeriodSeconds),
		Labels: types.MapNull(types.StringType), Annotations: types.MapNull(types.StringType),
		Taints:        types.ListNull(elementType("taints")),
		Identity:      types.ObjectNull(attributeTypes("identity")),
		DeleteOptions: types.ObjectNull(attributeTypes("delete_options")),
		Status:        types.ObjectNull(attributeTypes("status")),
	}
	var d diag.Diagnostics
	if spec.Labels != nil {
		out.Labels, d = types.MapValueFrom(ctx, types.StringType, spec.Labels)
		diags.Append(d...)
	}
	if spec.Annotations != nil {
		out.Annotations, d = types.MapValueFrom(ctx, types.StringType, spec.Annotations)
		diags.Append(d...)
	}
	if spec.Taints != nil {
		taints := make([]taintModel, len(spec.Taints))
		for i, t := range spec.Taints {
			taints[i] = taintModel{Key: types.StringValue(t.Key), Value: optional(t.Value), Effect: types.StringValue(t.Effect)}
		}
		out.Taints, d = types.ListValueFrom(ctx, elementType("taints"), taints)
		diags.Append(d...)
	}
	if i := spec.Identity; i != nil {
		out.Identity, d = types.ObjectValueFrom(ctx, attributeTypes("identity"), identityModel{
			Kind: types.StringValue(i.Kind), Name: types.StringValue(i.Name), APIGroup: optional(i.APIGroup), Namespace: optional(i.Namespace),
		})
		diags.Append(d...)
	}
	if o := spec.DeleteOptions; o != nil {
		out.DeleteOptions, d = types.ObjectValueFrom(ctx, attributeTypes("delete_options"), deleteOptionsModel{
			ValidationMode: optional(o.ValidationMode),
		})
		diags.Append(d...)
	}
	return out
}

func elementType(attribute string) attr.Type {
	list, _ := resourceSchema().Attributes[attribute].GetType().(types.ListType)
	return list.ElemType
}

func attributeTypes(attribute string) map[string]attr.Type {
	object, _ := resourceSchema().Attributes[attribute].GetType().(types.ObjectType)
	return object.AttrTypes
}

func optional(value string) types.String {
	if value == "" {
		return types.StringNull()
	}
	return types.StringValue(value)
}

func flattenStatus(ctx context.Context, status member.Status, diags *diag.Diagnostics) types.Object {
	m := statusModel{
		ClusterUID: types.StringValue(status.ClusterUID), Properties: status.Properties,
		ResourceUsage: &usageModel{
			Capacity: status.Usage.Capacity, Allocatable: status.Usage.Allocatable, Available: status.Usage.Available,
		},
		Conditions: map[string]conditionModel{
			"Joined":  {Status: "True", Reason: "MemberClusterJoined", Message: "The cluster is registered."},
			"Healthy": {Status: "True", Reason: "Reachable", Message: "The API server answers."},
		},
	}
	out, d := types.ObjectValueFrom(ctx, attributeTypes("status"), m)
	diags.Append(d...)
	return out
}

// unreachable is the status of a member that does not answer: what was known of it, and that it does not.
func unreachable(ctx context.Context, prior types.Object, problem string, diags *diag.Diagnostics) types.Object {
	attributes := prior.Attributes()
	if len(attributes) == 0 {
		return prior
	}
	conditionType, _ := attributeTypes("status")["conditions"].(types.MapType)
	conditions, d := types.MapValueFrom(ctx, conditionType.ElemType, map[string]conditionModel{
		"Joined":  {Status: "Unknown", Reason: "MemberClusterJoinStateUnknown", Message: "The cluster cannot be asked."},
		"Healthy": {Status: "False", Reason: "Unreachable", Message: problem},
	})
	diags.Append(d...)
	attributes["conditions"] = conditions
	out, d := types.ObjectValue(prior.AttributeTypes(ctx), attributes)
	diags.Append(d...)
	return out
}

func clusterUID(status types.Object) string {
	uid, _ := status.Attributes()["cluster_uid"].(types.String)
	return uid.ValueString()
}
