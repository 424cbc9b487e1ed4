// Package memberclusters implements the data source fleet_member_clusters.
package memberclusters

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// New returns the data source.
func New() datasource.DataSource { return lookup.New(query{}) }

type query struct{}

func (query) TypeName() string { return "member_clusters" }

func (query) Schema() (schema.Schema, error) {
	filters, err := convert.DataSource(map[string]resource.Attribute{
		"label_selector":    labelselector.Optional("Only clusters with these labels."),
		"property_selector": placement.PropertySelectorAttribute("Only clusters with these properties."),
	})
	return schema.Schema{
		MarkdownDescription: "The current clusters of the fleet, with their labels, taints and properties. An unreachable cluster has `healthy = " +
			"false`. With the engine `direct`, its labels are then unknown, so a filter excludes it. With the other engines, the labels are on the hub, and a " +
			"filter can include it.",
		Attributes: map[string]schema.Attribute{
			"label_selector": filters["label_selector"], "property_selector": filters["property_selector"],
			"names":           namesAttribute(),
			"member_clusters": membersAttribute(),
		},
	}, err
}

func namesAttribute() schema.ListAttribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Names of the clusters, sorted."}
}

func membersAttribute() schema.MapNestedAttribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	texts := func(description string) schema.MapAttribute {
		return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	return schema.MapNestedAttribute{
		Computed: true, MarkdownDescription: "The clusters by name.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":        text("Name of the cluster."),
			"cluster_uid": text("UID of the cluster's `kube-system` namespace; empty if unknown."),
			"joined":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the cluster is registered."},
			"healthy": schema.BoolAttribute{Computed: true, MarkdownDescription: "Engine `direct`: whether the API server responds. Other engines: the condition " +
				"`Healthy` on the hub. With `kubefleet`, the last heartbeat must also not be older than five minutes."},
			"message": text("Why the cluster is not healthy; empty if it is."),
			"labels":  texts("Labels."),
			"taints": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Taints.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"key": text("Key."), "value": text("Value."), "effect": text("Effect."),
				}},
			},
			"properties":  texts("Properties by name, such as `kubernetes-fleet.io/node-count`."),
			"capacity":    texts("Capacity of the nodes, by resource."),
			"allocatable": texts("Allocatable to Pods, by resource."),
			"available":   texts("Allocatable and not requested by Pods, by resource."),
		}},
	}
}

type model struct {
	LabelSelector    types.Object `tfsdk:"label_selector"`
	PropertySelector types.Object `tfsdk:"property_selector"`
	Names            types.List   `tfsdk:"names"`
	MemberClusters   types.Map    `tfsdk:"member_clusters"`
}

type memberModel struct {
	Name        string            `tfsdk:"name"`
	ClusterUID  string            `tfsdk:"cluster_uid"`
	Joined      bool              `tfsdk:"joined"`
	Healthy     bool              `tfsdk:"healthy"`
	Message     string            `tfsdk:"message"`
	Labels      map[string]string `tfsdk:"labels"`
	Taints      []taintModel      `tfsdk:"taints"`
	Properties  map[string]string `tfsdk:"properties"`
	Capacity    map[string]string `tfsdk:"capacity"`
	Allocatable map[string]string `tfsdk:"allocatable"`
	Available   map[string]string `tfsdk:"available"`
}

type taintModel struct {
	Key    string             `tfsdk:"key"`
	Value  string             `tfsdk:"value"`
	Effect domain.TaintEffect `tfsdk:"effect"`
}

// Read lists the clusters.
func (query) Read(ctx context.Context, shared *session.Session, m *model, diags *diag.Diagnostics) {
	policy := m.expandPolicy(ctx, diags)
	if diags.HasError() {
		return
	}
	listed, err := shared.Engine.ListMembers(ctx)
	if err != nil {
		report.Error(diags, path.Empty(), "The member clusters could not be listed", err)
		return
	}
	matching, err := filter(policy, listed)
	if err != nil {
		report.Error(diags, path.Empty(), "The member clusters could not be filtered", err)
		return
	}
	names, members := []string{}, map[string]memberModel{}
	for _, found := range matching {
		names = append(names, found.Spec.Name)
		members[found.Spec.Name] = flatten(found, time.Now())
	}
	m.Names = convert.List(ctx, namesAttribute(), names, diags)
	m.MemberClusters = convert.Map(ctx, membersAttribute(), members, diags)
}

// filterDepth is the number of steps in the path of the term with the filters.
const filterDepth = 6

// expandPolicy returns a policy whose only term has the filters, or nil without filters.
func (m model) expandPolicy(ctx context.Context, diags *diag.Diagnostics) *domain.Policy {
	term := domain.ClusterSelectorTerm{
		LabelSelector:    convert.FromObject[labelselector.Model](ctx, m.LabelSelector, diags).Expand(),
		PropertySelector: convert.FromObject[placement.PropertySelector](ctx, m.PropertySelector, diags).Expand(),
	}
	if term.LabelSelector == nil && term.PropertySelector == nil {
		return nil
	}
	policy := &domain.Policy{PlacementType: domain.PickAll, Affinity: &domain.Affinity{ClusterAffinity: &domain.ClusterAffinity{
		Required: &domain.ClusterSelector{ClusterSelectorTerms: []domain.ClusterSelectorTerm{term}},
	}}}
	for _, problem := range domain.Validate(domain.Spec{Policy: policy}) {
		// The term has the filters: policy.affinity.cluster_affinity.required...cluster_selector_terms[0].property_selector...
		if at := problem.Path; len(at) > filterDepth && at[0].Attribute == "policy" {
			convert.Problems(diags, "Invalid filter", []domain.Problem{{Path: at[filterDepth:], Message: problem.Message}})
		}
	}
	return policy
}

// filter returns the members that a placement with this policy could pick, regardless of taints, or all members if policy is nil. A property selector does not
// match a cluster without the property.
func filter(policy *domain.Policy, listed []engine.ListedMember) ([]engine.ListedMember, error) {
	if policy == nil {
		return listed, nil
	}
	in := schedule.Input{Policy: policy}
	for _, m := range listed {
		if m.Err != nil || !m.Joined {
			continue
		}
		in.Clusters = append(in.Clusters, schedule.Cluster{
			Name: m.Spec.Name, Labels: m.Spec.Labels, Properties: m.Status.Properties, Usage: schedule.ResourceUsage(m.Status.Usage),
		})
	}
	outcome, err := schedule.Schedule(in)
	if err != nil {
		return nil, err
	}
	selected := outcome.Selected()
	var out []engine.ListedMember
	for _, m := range listed {
		if slices.Contains(selected, m.Spec.Name) {
			out = append(out, m)
		}
	}
	return out, nil
}

func flatten(m engine.ListedMember, now time.Time) memberModel {
	out := memberModel{
		Name: m.Spec.Name, ClusterUID: m.Status.ClusterUID, Joined: m.Joined, Healthy: m.Err == nil,
		Labels: m.Spec.Labels, Properties: m.Status.Properties,
		Taints:   convert.All(m.Spec.Taints, func(t member.Taint) taintModel { return taintModel(t) }),
		Capacity: m.Status.Usage.Capacity, Allocatable: m.Status.Usage.Allocatable, Available: m.Status.Usage.Available,
	}
	if m.Err != nil {
		out.Message = m.Err.Error()
		return out
	}
	for _, c := range m.Status.Conditions {
		if c.Type == member.Healthy && c.Status != "True" {
			out.Healthy, out.Message = false, strings.TrimSuffix(c.Summary()+": "+c.Message, ": ")
		}
	}
	if last := lastHeartbeat(m.Status); out.Healthy && !last.IsZero() && now.Sub(last) > schedule.HeartbeatTimeout {
		out.Healthy = false
		out.Message = fmt.Sprintf("the hub has received no heartbeat of the member agent for more than %d minutes; the last one was at %s",
			int(schedule.HeartbeatTimeout.Minutes()), last.Format(time.RFC3339))
	}
	return out
}

// lastHeartbeat returns the time of the last heartbeat of the member agent, or the zero time if there is none. The condition Healthy of a member remains "True" if
// its agent stops.
func lastHeartbeat(status member.Status) time.Time {
	for _, agent := range status.AgentStatus {
		if at, err := time.Parse(time.RFC3339, agent.LastReceivedHeartbeat); err == nil && agent.Type == member.MemberAgent {
			return at
		}
	}
	return time.Time{}
}
