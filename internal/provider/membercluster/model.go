package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/taint"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

type model struct {
	Name                   types.String      `tfsdk:"name"`
	Labels                 types.Map         `tfsdk:"labels"`
	Annotations            types.Map         `tfsdk:"annotations"`
	Taints                 types.Set         `tfsdk:"taints"`
	HeartbeatPeriodSeconds wholenumber.Value `tfsdk:"heartbeat_period_seconds"`
	Identity               types.Object      `tfsdk:"identity"`
	DeleteOptions          types.Object      `tfsdk:"delete_options"`
	AdoptExisting          types.Bool        `tfsdk:"adopt_existing"`
	Timeouts               timeouts.Value    `tfsdk:"timeouts"`
	Agent                  types.Object      `tfsdk:"agent"`
	Status                 types.Object      `tfsdk:"status"`
}

type identityModel struct {
	Kind      member.IdentityKind `tfsdk:"kind"`
	Name      string              `tfsdk:"name"`
	APIGroup  *string             `tfsdk:"api_group"`
	Namespace *string             `tfsdk:"namespace"`
}

type deleteOptionsModel struct {
	ValidationMode *member.ValidationMode `tfsdk:"validation_mode"`
	OnUnreachable  *member.OnUnreachable  `tfsdk:"on_unreachable"`
}

type agentModel struct {
	IdentityName      string `tfsdk:"identity_name"`
	IdentityNamespace string `tfsdk:"identity_namespace"`
	MemberNamespace   string `tfsdk:"member_namespace"`
	Role              string `tfsdk:"role"`
}

type statusModel struct {
	ClusterUID string            `tfsdk:"cluster_uid"`
	Conditions map[string]string `tfsdk:"conditions"`
}

// expand requires that everything is known.
func (m model) expand(ctx context.Context, diags *diag.Diagnostics) member.Spec {
	out := member.Spec{
		Name:                   m.Name.ValueString(),
		Labels:                 convert.FromMap[string](ctx, m.Labels, diags),
		Annotations:            convert.FromMap[string](ctx, m.Annotations, diags),
		Taints:                 convert.Each(convert.FromSet[taint.Model](ctx, m.Taints, diags), taint.Model.Expand),
		HeartbeatPeriodSeconds: m.HeartbeatPeriodSeconds.ValueInt32Pointer(),
		AdoptExisting:          m.AdoptExisting.ValueBoolPointer(),
	}
	if i := convert.FromObject[identityModel](ctx, m.Identity, diags); i != nil {
		out.Identity = &member.Identity{
			Kind: i.Kind, Name: i.Name, APIGroup: convert.Value(i.APIGroup), Namespace: convert.Value(i.Namespace),
		}
	}
	if o := convert.FromObject[deleteOptionsModel](ctx, m.DeleteOptions, diags); o != nil {
		out.DeleteOptions = &member.DeleteOptions{ValidationMode: convert.Value(o.ValidationMode), OnUnreachable: convert.Value(o.OnUnreachable)}
	}
	return out
}

// flatten converts a member to the model. It leaves agent, status and timeouts null.
func flatten(ctx context.Context, spec member.Spec, diags *diag.Diagnostics) model {
	attributes := resourceSchema(ctx).Attributes
	var subject *identityModel
	if i := spec.Identity; i != nil {
		subject = &identityModel{Kind: i.Kind, Name: i.Name, APIGroup: convert.Optional(i.APIGroup), Namespace: convert.Optional(i.Namespace)}
	}
	var options *deleteOptionsModel
	if o := spec.DeleteOptions; o != nil {
		options = &deleteOptionsModel{ValidationMode: convert.Optional(o.ValidationMode), OnUnreachable: convert.Optional(o.OnUnreachable)}
	}
	return model{
		Name: types.StringValue(spec.Name), HeartbeatPeriodSeconds: wholenumber.FromPointer(spec.HeartbeatPeriodSeconds),
		AdoptExisting: types.BoolPointerValue(spec.AdoptExisting),
		Labels:        convert.Map(ctx, attributes["labels"], spec.Labels, diags),
		Annotations:   convert.Map(ctx, attributes["annotations"], spec.Annotations, diags),
		Taints:        convert.Set(ctx, attributes["taints"], convert.Each(convert.Distinct(spec.Taints), taint.Flatten), diags),
		Identity:      convert.Object(ctx, attributes["identity"], subject, diags),
		DeleteOptions: convert.Object(ctx, attributes["delete_options"], options, diags),
		Agent:         convert.Object[agentModel](ctx, agentSchema(), nil, diags),
		Status:        convert.Object[statusModel](ctx, statusSchema(), nil, diags),
	}
}

func flattenStatus(ctx context.Context, status member.Status, diags *diag.Diagnostics) types.Object {
	out := &statusModel{ClusterUID: status.ClusterUID, Conditions: map[string]string{}}
	for _, c := range status.Conditions {
		out.Conditions[c.Type] = c.Summary()
	}
	return convert.Object(ctx, statusSchema(), out, diags)
}

// unreachableStatus returns the status of an unreachable member: the known UID of the cluster, and conditions that report the member as unreachable.
func unreachableStatus(ctx context.Context, prior types.Object, diags *diag.Diagnostics) types.Object {
	return flattenStatus(ctx, member.Status{ClusterUID: clusterUID(prior), Conditions: []member.Condition{
		{Type: member.Joined, Status: "Unknown", Reason: "MemberClusterJoinStateUnknown"},
		{Type: member.Healthy, Status: "False", Reason: "Unreachable"},
	}}, diags)
}

// expandMember converts the member with its UID and ID from the private state.
func (m model) expandMember(ctx context.Context, c object.Call, diags *diag.Diagnostics) engine.Member {
	out := engine.Member{UID: c.UID, Spec: m.expand(ctx, diags), Status: member.Status{ClusterUID: clusterUID(m.Status)}}
	private.Recall(ctx, c.Private, private.ID, &out.ID, diags)
	return out
}

// expandPartial returns the name, and the set parts of a registration that some engines do not support. A part that is set but unknown has a zero value.
func (m model) expandPartial() member.Spec {
	out := member.Spec{Name: m.Name.ValueString(), AdoptExisting: m.AdoptExisting.ValueBoolPointer()}
	if !m.HeartbeatPeriodSeconds.IsNull() {
		out.HeartbeatPeriodSeconds = new(m.HeartbeatPeriodSeconds.ValueInt32())
	}
	if !m.Identity.IsNull() {
		out.Identity = &member.Identity{}
	}
	if mode, ok := m.DeleteOptions.Attributes()["validation_mode"].(types.String); ok && !mode.IsNull() {
		out.DeleteOptions = &member.DeleteOptions{ValidationMode: member.ValidationMode(mode.ValueString())}
	}
	return out
}

func clusterUID(status types.Object) string {
	uid, _ := status.Attributes()["cluster_uid"].(types.String)
	return uid.ValueString()
}
