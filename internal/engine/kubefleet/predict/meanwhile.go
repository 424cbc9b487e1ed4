package predict

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Premature is an object in the current content of a cluster. With the new apply strategy, an agent may take it over or create it before the hub changes or
// removes that content. The preview does not show this action.
type Premature struct {
	Cluster string
	manifest.Identifier
	Action takeover.Action
}

// Premature lists the objects that a new apply strategy affects too early. A hub writes a new apply strategy into all Works immediately, before it rolls out
// new content. It does the same to the Works of clusters that the placement leaves (KubeFleet, pkg/controllers/rollout: processApplyStrategyUpdates;
// pkg/controllers/workgenerator: syncAllWork). The list omits clusters that the prediction could not check.
func (p *Prediction) Premature(ctx context.Context, clusters *clusterset.Set) ([]Premature, error) {
	if p.Fleet.Placement == nil || p.Removing || p.isExternal() {
		return nil, nil
	}
	was, becomes := *convert.ToPlacementSpec(p.Fleet.Placement.Spec).Defaulted().Strategy.ApplyStrategy, *p.Spec.Strategy.ApplyStrategy
	applies := was.Type == placement.ReportDiff && becomes.Type != placement.ReportDiff
	if reflect.DeepEqual(was, becomes) || becomes.WhenToTakeOver == placement.TakeOverNever && !applies {
		return nil, nil
	}
	works, err := hub.List[wire.Work](ctx, clusters.Hub, hub.Work, "", hub.WorksOf(p.Placement.Reference))
	if err != nil {
		return nil, err
	}
	var (
		mu    sync.Mutex
		out   []Premature
		names []string
	)
	for _, c := range p.Clusters {
		if c.Err == nil && len(c.works) > 0 {
			names = append(names, c.Name)
		}
	}
	err = clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		found, err := p.Cluster(name).premature(ctx, clusters, works, applies)
		mu.Lock()
		defer mu.Unlock()
		out = append(out, found...)
		return err
	})
	slices.SortFunc(out, func(a, b Premature) int {
		return strings.Compare(a.Cluster+" "+a.Key().String(), b.Cluster+" "+b.Key().String())
	})
	return out, err
}

// premature lists the premature objects of one cluster. works are the Works of the placement for all clusters. applies reports that the change ends the
// strategy type ReportDiff, so that the agent starts to create objects.
func (c *Cluster) premature(ctx context.Context, clusters *clusterset.Set, works []wire.Work, applies bool) ([]Premature, error) {
	items, err := c.current(works)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	member, err := clusters.Member(c.Name)
	if err != nil {
		return nil, nil //nolint:nilerr // a cluster that cannot be checked is omitted
	}
	applied, err := c.applied(ctx, member)
	if err != nil {
		return nil, clusterset.Unreachable(c.Name, err)
	}
	own := map[string]metav1.OwnerReference{}
	for _, work := range applied {
		own[work.Name] = agent.Reference(work.AppliedWork)
	}
	strategy := *c.prediction.Spec.Strategy.ApplyStrategy
	read := &memberpreview.Member{
		Cluster: member, Schema: clusters.Schema, Strategy: strategy, DryRun: true, FieldManager: agent.FieldManager, WritesToTerminating: true,
		Ownership: &agent.Ownership{Own: own, WorkExists: c.workExists(ctx, clusters.Hub)},
		Defines:   c.prediction.Content.Defines, Writer: &agent.Writer{Cluster: member, Strategy: strategy, Owner: anyOf(own)},
	}
	if err := read.Preview(ctx, items, nil); err != nil {
		return nil, err
	}
	var out []Premature
	for _, item := range items {
		shown := c.items[item.Key()]
		same := shown != nil && shown.Action == item.Action && shown.Hash == item.Hash && sameEnvelope(shown.Envelope, item.Envelope)
		creates := applies && item.Action == takeover.ActionCreate && (shown == nil || shown.Action != takeover.ActionCreate)
		if creates || !same && item.Action == takeover.ActionTakeOver || !same && c.claims(strategy, read, item) {
			out = append(out, Premature{Cluster: c.Name, Identifier: item.Identifier, Action: item.Action})
		}
	}
	return out, nil
}

// claims reports whether the agent takes ownership of a pre-existing object on which it only reports.
func (c *Cluster) claims(strategy placement.ApplyStrategy, read *memberpreview.Member, item *memberpreview.Object) bool {
	return strategy.Type == placement.ReportDiff && strategy.WhenToTakeOver != placement.TakeOverNever && item.Live != nil &&
		item.Obstacle == takeover.ObstacleNone && !read.Ownership.Owns(item)
}

func (c *Cluster) current(works []wire.Work) ([]*memberpreview.Object, error) {
	var out []*memberpreview.Object
	for _, work := range works {
		if work.Namespace != hub.MemberNamespacePrefix+c.Name || work.DeletionTimestamp != nil {
			continue
		}
		in := convert.EnvelopeOf(work.ObjectMeta)
		for _, raw := range work.Spec.Workload.Manifests {
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON(raw.Raw); err != nil {
				return nil, err
			}
			object := source.NewObject(manifest.NewObject(u, in))
			item := &memberpreview.Object{Hash: object.Hash, Desired: agent.Outgoing(u)}
			item.Identifier = object.Identifier
			out = append(out, item)
		}
	}
	return out, nil
}
