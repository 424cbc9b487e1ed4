package placementpreview

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/difference"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

type model struct {
	placement.Arguments
	placement.HandOver
	Namespace      types.String `tfsdk:"namespace"`
	Dependencies   types.List   `tfsdk:"dependencies"`
	Assume         types.Map    `tfsdk:"assume"`
	Clusters       types.Map    `tfsdk:"clusters"`
	Conflicts      types.List   `tfsdk:"conflicts"`
	Counts         types.Object `tfsdk:"counts"`
	EmptySelectors types.List   `tfsdk:"empty_selectors"`
	Fulfilled      types.Bool   `tfsdk:"fulfilled"`
	Replaces       types.Bool   `tfsdk:"replaces"`
	Report         types.String `tfsdk:"report"`
	ReportData     types.String `tfsdk:"report_data"`
	Digest         types.String `tfsdk:"digest"`

	RenderManifests   types.Bool `tfsdk:"render_manifests"`
	RenderedManifests types.Map  `tfsdk:"rendered_manifests"`
}

func (m *model) reference() engine.Reference {
	return engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

func (m *model) isNameOnly() bool {
	return m.ResourceSelectors.IsNull() && m.Manifests.IsNull() && m.Policy.IsNull() && m.Strategy.IsNull() &&
		m.TakesOverFrom.IsNull() && m.TakesOverFromRemoved.IsNull()
}

type clusterModel struct {
	Picked              bool          `tfsdk:"picked"`
	Reason              string        `tfsdk:"reason"`
	AffinityScore       *int64        `tfsdk:"affinity_score"`
	TopologySpreadScore *int64        `tfsdk:"topology_spread_score"`
	CheckMethod         string        `tfsdk:"check_method"`
	Error               string        `tfsdk:"error"`
	Problem             string        `tfsdk:"problem"`
	Joining             bool          `tfsdk:"joining"`
	Leaving             bool          `tfsdk:"leaving"`
	Objects             []objectModel `tfsdk:"objects"`
}

type objectModel struct {
	identifier.Model
	Action         string                   `tfsdk:"action"`
	Conflict       bool                     `tfsdk:"conflict"`
	Obstacle       string                   `tfsdk:"obstacle"`
	Reason         string                   `tfsdk:"reason"`
	Message        string                   `tfsdk:"message"`
	Restart        string                   `tfsdk:"restart"`
	From           string                   `tfsdk:"from"`
	To             string                   `tfsdk:"to"`
	Owner          difference.Owner         `tfsdk:"owner"`
	Differences    []difference.Difference  `tfsdk:"differences"`
	ObservedDiffs  []difference.PatchDetail `tfsdk:"observed_diffs"`
	ObservedDrifts []difference.PatchDetail `tfsdk:"observed_drifts"`
}

type conflictModel struct {
	Cluster string `tfsdk:"cluster"`
	objectModel
}

type countsModel struct {
	Create       int64 `tfsdk:"create"`
	Update       int64 `tfsdk:"update"`
	Replace      int64 `tfsdk:"replace"`
	TakeOver     int64 `tfsdk:"take_over"`
	TakeOverFrom int64 `tfsdk:"take_over_from"`
	LeaveAlone   int64 `tfsdk:"leave_alone"`
	LeaveDrifted int64 `tfsdk:"leave_drifted"`
	Reject       int64 `tfsdk:"reject"`
	Report       int64 `tfsdk:"report"`
	None         int64 `tfsdk:"none"`
	Prune        int64 `tfsdk:"prune"`
	Orphan       int64 `tfsdk:"orphan"`
	HandOver     int64 `tfsdk:"hand_over"`
	Unknown      int64 `tfsdk:"unknown"`
	NotChecked   int64 `tfsdk:"not_checked"`
	Restart      int64 `tfsdk:"restart"`

	FromManifestsWO int64 `tfsdk:"from_manifests_wo"`
}

func (m *model) set(ctx context.Context, in result, diags *diag.Diagnostics) {
	preview := in.preview
	clusters, conflicts, counts := map[string]clusterModel{}, []conflictModel{}, countsModel{}
	for _, cluster := range preview.Clusters {
		flat := flattenCluster(cluster, in.unchecked[cluster.Name])
		clusters[cluster.Name] = flat
		if cluster.Err != nil {
			counts.NotChecked++
			continue // the objects of the cluster are unknown
		}
		counts.FromManifestsWO += int64(len(in.unchecked[cluster.Name]))
		if cluster.IsAssumedNew() {
			counts.NotChecked++
		}
		for _, object := range cluster.Objects {
			counts.add(object.Action)
			if object.Restart.Outcome() == workload.RestartRollout {
				counts.Restart++
			}
		}
		for _, object := range flat.Objects {
			if object.Conflict {
				conflicts = append(conflicts, conflictModel{Cluster: cluster.Name, objectModel: object})
			}
		}
	}
	empty := convert.All(preview.EmptySelectors, func(i int) int64 { return int64(i) })
	attributes, err := resultAttributes()
	if err != nil {
		lookup.AddSchemaError(typeName, err, diags)
		return
	}
	m.Clusters = convert.Map(ctx, attributes["clusters"], clusters, diags)
	m.Conflicts = convert.List(ctx, attributes["conflicts"], conflicts, diags)
	m.EmptySelectors = convert.List(ctx, attributes["empty_selectors"], empty, diags)
	m.Counts = convert.Object(ctx, attributes["counts"], &counts, diags)
	m.Fulfilled, m.Replaces = types.BoolValue(preview.Fulfilled), types.BoolValue(in.replaces() != "")
	var d diag.Diagnostics
	m.RenderedManifests, d = types.MapValueFrom(ctx, types.MapType{ElemType: types.StringType}, m.renderAll(in, diags))
	diags.Append(d...)
	m.setReport(in, diags)
}

func (m *model) setReport(in result, diags *diag.Diagnostics) {
	var data string
	var err error
	if in.missing != "" {
		m.Report = types.StringValue(report.NoMarkdown(in.preview.Placement, in.missing))
		data, err = report.NoData(in.preview.Placement, in.missing)
	} else {
		additions := report.Additions{Replaces: in.replaces(), WriteOnly: in.unchecked.listAll(), Assumed: in.assumed, Moves: in.moves}
		m.Report = types.StringValue(report.Markdown(in.preview, in.strategy, additions))
		if len(in.assumed) == 0 { // no apply can do what the preview shows under assumptions
			m.Digest = types.StringValue(in.digest)
		}
		data, err = report.Data(in.preview, in.strategy, additions)
	}
	if err != nil {
		diags.AddAttributeError(path.Root("report_data"), "The preview cannot be encoded", printable.Line(err.Error())+". This is a bug in the provider.")
		return
	}
	m.ReportData = types.StringValue(data)
}

// flattenCluster converts a cluster with its objects, followed by the objects from manifests_wo.
func flattenCluster(in engine.ClusterPreview, unchecked []manifest.Identifier) clusterModel {
	out := clusterModel{
		Picked: in.Picked, Reason: in.Reason, CheckMethod: string(in.CheckMethod), Problem: in.Problem, Joining: in.Joining, Leaving: in.Leaving, Objects: []objectModel{},
	}
	if in.Score != nil {
		out.AffinityScore, out.TopologySpreadScore = new(int64(in.Score.Affinity)), new(int64(in.Score.TopologySpread))
	}
	if in.Err != nil {
		out.Error = in.Err.Error()
		return out
	}
	for _, object := range in.Objects {
		out.Objects = append(out.Objects, flattenObject(object))
	}
	for _, id := range unchecked {
		object := flattenObject(engine.ObjectPreview{Identifier: id})
		object.Action, object.Message = notChecked, "from manifests_wo"
		out.Objects = append(out.Objects, object)
	}
	return out
}

func flattenObject(in engine.ObjectPreview) objectModel {
	from := ""
	if in.Given != nil {
		from = in.Given.From
	}
	return objectModel{
		Model:  identifier.Flatten(in.Identifier),
		Action: string(in.Action), Conflict: in.Conflict(), Obstacle: string(in.Obstacle), Reason: in.Reason, Message: in.Message,
		Restart: string(in.Restart.Outcome()), From: from, To: in.To,
		Owner: difference.FlattenOwner(in.Owner), Differences: difference.Flatten(in.Differences),
		ObservedDiffs:  difference.FlattenPatchDetails(in.ObservedDiffs),
		ObservedDrifts: difference.FlattenPatchDetails(in.ObservedDrifts),
	}
}

func (c *countsModel) add(action takeover.Action) {
	switch action {
	case takeover.ActionCreate:
		c.Create++
	case takeover.ActionUpdate:
		c.Update++
	case takeover.ActionReplace:
		c.Replace++
	case takeover.ActionTakeOver:
		c.TakeOver++
	case takeover.ActionTakeOverFrom:
		c.TakeOverFrom++
	case takeover.ActionLeaveAlone:
		c.LeaveAlone++
	case takeover.ActionLeaveDrifted:
		c.LeaveDrifted++
	case takeover.ActionReject:
		c.Reject++
	case takeover.ActionReport:
		c.Report++
	case takeover.ActionNone, takeover.ActionDefer:
		c.None++
	case takeover.ActionPrune:
		c.Prune++
	case takeover.ActionOrphan:
		c.Orphan++
	case takeover.ActionHandOver:
		c.HandOver++
	case takeover.ActionUnknown:
		c.Unknown++
	}
}
