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

// Identity is what a workload is known by among all of a fleet.
type Identity struct {
	Cluster   types.String `tfsdk:"cluster"`
	Group     types.String `tfsdk:"group"`
	Version   types.String `tfsdk:"version"`
	Kind      types.String `tfsdk:"kind"`
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

func (i Identity) expand() manifest.Identifier {
	return manifest.Identifier{
		Group: i.Group.ValueString(), Version: i.Version.ValueString(), Kind: i.Kind.ValueString(), Namespace: i.Namespace.ValueString(), Name: i.Name.ValueString(),
	}
}

// validate checks what needs no cluster. Required arguments that are null or empty are for the schema to report.
func (i Identity) validate(diags *diag.Diagnostics) {
	if i.Group.IsUnknown() || i.Version.IsUnknown() || i.Kind.IsUnknown() || i.Namespace.IsUnknown() || i.Name.IsUnknown() || diags.HasError() {
		return
	}
	convert.Problems(diags, "Invalid workload", domain.Validate(i.expand()))
}

// identityOf is that of an object on a member.
func identityOf(cluster string, id manifest.Identifier) Identity {
	return Identity{
		Cluster: types.StringValue(cluster), Group: convert.String(id.Group), Version: types.StringValue(id.Version), Kind: types.StringValue(id.Kind),
		Namespace: convert.String(id.Namespace), Name: types.StringValue(id.Name),
	}
}

// Found is what was read.
type Found struct {
	Manifests      types.Map    `tfsdk:"manifests"`
	Objects        types.List   `tfsdk:"objects"`
	Restart        types.String `tfsdk:"restart"`
	RestartReason  types.String `tfsdk:"restart_reason"`
	RestartChanges types.List   `tfsdk:"restart_changes"`
}

// Model is what the resource and the data source have in common.
type Model struct {
	Identity
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

func (m Model) request() workload.Request {
	return workload.Request{
		Cluster: m.Cluster.ValueString(), Workload: m.Identity.expand(),
		ThroughHub: m.ThroughHub.ValueBool(), Related: m.IncludeRelated.IsNull() || m.IncludeRelated.ValueBool(),
	}
}

func flatten(ctx context.Context, in *workload.Found, diags *diag.Diagnostics) Found {
	texts, err := manifest.Texts(in.Objects[0].String(), in.Manifests())
	if err != nil {
		diags.AddError("The manifests could not be written", printable.Line(err.Error()))
		return unread()
	}
	schema := found()
	manifests, d := types.MapValueFrom(ctx, types.StringType, texts) // documents keep their lines
	diags.Append(d...)
	return Found{
		Manifests: manifests,
		Objects: convert.List(ctx, schema["objects"], convert.All(in.Objects, func(o workload.Object) objectModel {
			return objectModel{Object: identifier.FlattenObject(o.Identifier), Relation: string(o.Relation), Owner: o.Owner.String(), LeftOut: o.LeftOut}
		}), diags),
		Restart:        types.StringValue(string(in.Verdict.Restart.Outcome())),
		RestartReason:  convert.Line(reason(in.Verdict)),
		RestartChanges: convert.List(ctx, schema["restart_changes"], convert.All(in.Verdict.Changes, func(d diff.Difference) string { return d.Field }), diags),
	}
}

func reason(v workload.Verdict) string {
	if v.Unknown == nil {
		return ""
	}
	return v.Unknown.Error()
}

// unread is what is known before anything is read.
func unread() Found {
	schema := found()
	out := Found{
		Manifests: types.MapUnknown(types.StringType), Objects: types.ListUnknown(convert.ElementType(schema["objects"])),
	}
	out.withoutVerdict()
	return out
}

// withoutVerdict leaves open what the takeover does to Pods. A plan must not promise what a cluster may answer otherwise when it is asked again.
func (f *Found) withoutVerdict() {
	f.Restart, f.RestartReason, f.RestartChanges = types.StringUnknown(), types.StringUnknown(), types.ListUnknown(types.StringType)
}

// open tells whether anything is left to be read.
func (f Found) open() bool {
	return f.Manifests.IsUnknown() || f.Objects.IsUnknown() || f.Restart.IsUnknown()
}

// plannable is what a plan can say of what was read.
func plannable(f Found) Found {
	if f.Restart.ValueString() == string(domain.RestartUnknown) {
		f.withoutVerdict()
	}
	return f
}
