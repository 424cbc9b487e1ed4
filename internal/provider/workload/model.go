package workload

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
)

// Found is the Terraform representation of the workload that was read.
type Found struct {
	Manifests      types.Map    `tfsdk:"manifests"`
	Objects        types.List   `tfsdk:"objects"`
	Restart        types.String `tfsdk:"restart"`
	RestartReason  types.String `tfsdk:"restart_reason"`
	RestartChanges types.List   `tfsdk:"restart_changes"`
}

// Model has the attributes that the resource and the data source share.
type Model struct {
	identifier.OnMember
	IncludeRelated types.Bool `tfsdk:"include_related"`
	ThroughHub     types.Bool `tfsdk:"through_hub"`
	Found
}

type resourceModel struct {
	Model
	Triggers types.Map `tfsdk:"triggers"`
}

type objectModel struct {
	identifier.Object
	Relation string `tfsdk:"relation"`
	Owner    string `tfsdk:"owner"`
	LeftOut  string `tfsdk:"left_out"`
}

// validate adds errors for an object that cannot be handed over. The schema reports required arguments that are null or empty.
func (m Model) validate(diags *diag.Diagnostics) {
	if m.HasUnknown() || diags.HasError() {
		return
	}
	convert.Problems(diags, "Invalid workload", domain.Validate(m.Expand()))
}

func (m Model) request() workload.Request {
	return workload.Request{
		Cluster: m.Cluster.ValueString(), Workload: m.Expand(),
		ThroughHub: m.ThroughHub.ValueBool(), Related: m.IncludeRelated.IsNull() || m.IncludeRelated.ValueBool(),
	}
}

func flatten(ctx context.Context, in *workload.Found, diags *diag.Diagnostics) Found {
	texts, err := manifest.Texts(in.Objects[0].String(), in.Manifests())
	if err != nil {
		diags.AddError("The manifests could not be written", printable.Line(err.Error()))
		return newUnknown()
	}
	schema := foundAttributes()
	manifests, d := types.MapValueFrom(ctx, types.StringType, texts) // convert.Map would escape the line breaks of the documents
	diags.Append(d...)
	return Found{
		Manifests: manifests,
		Objects: convert.List(ctx, schema["objects"], convert.All(in.Objects, func(o workload.Object) objectModel {
			return objectModel{Object: identifier.FlattenObject(o.Identifier), Relation: string(o.Relation), Owner: o.Owner.String(), LeftOut: o.LeftOut}
		}), diags),
		Restart:        types.StringValue(string(in.Verdict.Restart.Outcome())),
		RestartReason:  convert.Line(verdictReason(in.Verdict)),
		RestartChanges: convert.List(ctx, schema["restart_changes"], convert.All(in.Verdict.Changes, func(d diff.Difference) string { return d.Field }), diags),
	}
}

func verdictReason(v workload.Verdict) string {
	if v.Unknown == nil {
		return ""
	}
	return v.Unknown.Error()
}

func newUnknown() Found {
	schema := foundAttributes()
	out := Found{
		Manifests: types.MapUnknown(types.StringType), Objects: types.ListUnknown(convert.ElementType(schema["objects"])),
	}
	out.clearVerdict()
	return out
}

// clearVerdict makes the effect of the takeover on Pods unknown. A plan must not promise a result that can differ when the cluster is checked again.
func (f *Found) clearVerdict() {
	f.Restart, f.RestartReason, f.RestartChanges = types.StringUnknown(), types.StringUnknown(), types.ListUnknown(types.StringType)
}

func (f Found) hasUnknown() bool {
	return f.Manifests.IsUnknown() || f.Objects.IsUnknown() || f.Restart.IsUnknown()
}

// dropUncertain makes the effect on Pods unknown if the dry run could not determine it, because a later dry run may do so.
func dropUncertain(f Found) Found {
	if f.Restart.ValueString() == string(domain.RestartUnknown) {
		f.clearVerdict()
	}
	return f
}
