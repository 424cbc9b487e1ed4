package predict

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// Prediction is the predicted behaviour of a hub for one placement.
type Prediction struct {
	Placement engine.Placement
	// Spec is the specification with its defaults filled in.
	Spec    placement.Spec
	Content *source.Content
	Fleet   *hub.Fleet
	Outcome schedule.Outcome
	// Clusters are sorted by name. They are the members of the fleet, the planned members, and the clusters that have a binding or a decision of the scheduler.
	Clusters []*Cluster
	// Removing reports that the prediction is for the deletion of the placement.
	Removing bool
	// ContentChanges reports whether the content to be placed differs from the latest content on the hub. It is always false if the content on the hub was not
	// read; see [hub.Fleet.AtRest].
	ContentChanges bool
	// Overrides are the overrides currently on the hub.
	Overrides override.Overrides

	options engine.PreviewOptions
	// givers are the placements that objects are taken over from.
	givers []giver
	// reasons are the reasons why the hub has not picked clusters, by cluster name. They apply to clusters about which the scheduler does not decide again.
	reasons map[string]string
	// blocked reports that the hub's scheduler has stopped at the placement; see [StopsScheduler].
	blocked bool
	// envelopes are the envelopes whose content is placed.
	envelopes map[manifest.Envelope]bool
}

// closedEnvelopes are the types of envelopes that hubs of this API place as they are, without extracting the contents.
var closedEnvelopes = []envelope.Type{envelope.TypeConfigMap}

// New predicts what a hub does with a placement. If the reproduced scheduler fails, New returns its error, because the hub would fail with the same error. It
// also returns an error if the hub could delete an object that another placement takes over (see checkTakers).
func New(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.PreviewOptions) (*Prediction, error) {
	depth := hub.ReadAll
	if options.Unchanged && !options.Create && !options.World.Changes() {
		depth = hub.ReadIfAtRest
	}
	out, err := predict(ctx, clusters, p, options, depth)
	if err == nil && out.Fleet.AtRest && slices.ContainsFunc(out.Clusters, (*Cluster).moves) {
		out, err = predict(ctx, clusters, p, options, hub.ReadAll) // the placement is not at rest after all, so the prediction needs all its objects
	}
	if err != nil {
		return nil, err
	}
	if err := out.checkMembers(ctx, clusters, out.names()); err != nil {
		return nil, err
	}
	return out, out.checkTakers()
}

// predict reads the state of the hub, resolves the content of the placement and runs the scheduler. It does not read the members. It returns an
// [*engine.ExistsError] if options.Create is set and the placement already exists.
func predict(
	ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.PreviewOptions, depth hub.ReadLevel,
) (*Prediction, error) {
	out := &Prediction{Placement: p, Spec: p.Spec.Defaulted(), options: options}
	group, looking := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		out.Content, err = source.Resolve(looking, clusters, p, source.Options{World: options.World, Closed: closedEnvelopes, Kept: keeps(looking, clusters.Hub)})
		if err != nil {
			return err
		}
		out.Overrides, err = hub.Overrides(looking, clusters.Hub, out.Content.Namespaced())
		return err
	})
	group.Go(func() (err error) {
		out.Fleet, err = hub.ReadFleet(looking, clusters.Hub, p.Reference, depth)
		return err
	})
	group.Go(func() (err error) {
		out.givers, err = readGivers(looking, clusters.Hub, p)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if options.Create && options.Replaces == nil {
		if out.Fleet.Placement != nil {
			return nil, hub.Exists(hub.KindsOf(p.Reference).Placement, p.Reference)
		}
	}
	if options.Replaces != nil {
		out.Fleet.WithoutPlacement()
	}
	out.envelopes = openedEnvelopes(out.Content)
	out.ContentChanges = !out.Fleet.AtRest && out.Fleet.Content.Hash() != out.Content.ClosedHash()
	var err error
	if out.Outcome, err = schedule.Schedule(input(p, out.Fleet, options.World, time.Now())); err != nil {
		return nil, err
	}
	if err := out.readReasons(ctx, clusters.Hub); err != nil {
		return nil, err
	}
	out.newClusters(options.World.Overridden(out.Overrides))
	return out, nil
}

// Removal predicts what a hub does when a placement is deleted. Like [New], it returns an error if the hub could delete an object that another placement takes
// over.
func Removal(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.DeleteOptions) (*Prediction, error) {
	out := &Prediction{
		Placement: p, Spec: p.Spec.Defaulted(), Content: &source.Content{}, Removing: true,
		options: engine.PreviewOptions{Expected: options.Expected, Takers: options.Takers, World: options.World},
	}
	var err error
	if out.Fleet, err = hub.ReadFleet(ctx, clusters.Hub, p.Reference, hub.ReadClusters); err != nil {
		return nil, err
	}
	out.newClusters(override.Overrides{})
	if err := out.checkMembers(ctx, clusters, out.names()); err != nil {
		return nil, err
	}
	return out, out.checkTakers()
}

// Abandons reports whether the engine must keep the objects on the members when it deletes the placement, because agents do not support the propagation
// policy Abandon. It returns false if the placement is already deleted or being deleted.
func (p *Prediction) Abandons() bool { return p.Removing && p.RetainsObjects() && p.Remains() }

// Remains reports whether the placement is on the hub and is not being deleted.
func (p *Prediction) Remains() bool {
	found := p.Fleet.Placement
	return found != nil && found.DeletionTimestamp == nil
}

// RetainsObjects reports whether the propagation policy of the placement is Abandon.
func (p *Prediction) RetainsObjects() bool {
	return p.Spec.Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects
}

// isExternal reports whether only staged update runs change the objects of the placement. A removal of the placement needs no run.
func (p *Prediction) isExternal() bool {
	return !p.Removing && p.Spec.Strategy.Type == placement.ExternalStrategy
}

func (p *Prediction) newClusters(overrides override.Overrides) {
	byName := map[string]*Cluster{}
	add := func(name string) *Cluster {
		c := byName[name]
		if c == nil {
			c = &Cluster{Name: name, Decision: p.unpicked(name), prediction: p}
			c.registration, c.works = p.Fleet.Member(name), p.Fleet.Works[name]
			c.Joining = c.registration != nil && isJoining(*c.registration, time.Now())
			c.overrides = overrides
			byName[name] = c
		}
		return c
	}
	for _, m := range p.Fleet.Members {
		add(m.Name)
	}
	for i, b := range p.Fleet.Bindings {
		add(b.Spec.TargetCluster).binding = &p.Fleet.Bindings[i]
	}
	for name, planned := range p.options.World.Members {
		c := add(name)
		c.Joining, c.Leaving = planned.Want != nil && (c.registration == nil || c.Joining), planned.Want == nil
		c.planned = planned
	}
	for _, decision := range p.Outcome.Decisions {
		add(decision.Cluster).Decision = decision
	}
	for _, b := range p.Outcome.Bindings {
		if b.State != schedule.Unscheduled && !b.Deleting {
			add(b.Cluster).placed = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		p.Clusters = append(p.Clusters, byName[name])
	}
	slices.SortFunc(p.Clusters, func(a, b *Cluster) int { return cmp.Compare(a.Name, b.Name) })
	p.block()
}

func (p *Prediction) names() []string {
	out := make([]string, len(p.Clusters))
	for i, c := range p.Clusters {
		out[i] = c.Name
	}
	return out
}

// checkMembers predicts what the agents of the named members do. It skips members for which isConcerned returns false. For a member that is unreachable or has
// no connection in the provider, it sets Cluster.Err and returns no error.
func (p *Prediction) checkMembers(ctx context.Context, clusters *clusterset.Set, names []string) error {
	err := clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		c := p.Cluster(name)
		if c == nil || !c.isConcerned() {
			return nil
		}
		if c.Err = c.check(ctx, clusters); clusterset.IsOffline(c.Err) || isUnseen(c.Err) {
			return nil
		}
		return c.Err
	})
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	return err
}

// Cluster returns the cluster with a name, or nil if there is none.
func (p *Prediction) Cluster(name string) *Cluster {
	i, found := slices.BinarySearchFunc(p.Clusters, name, func(c *Cluster, name string) int { return cmp.Compare(c.Name, name) })
	if !found {
		return nil
	}
	return p.Clusters[i]
}

// Overridden returns the overrides that apply to each cluster that the scheduler picks.
func (p *Prediction) Overridden() (map[string][]override.Reference, error) {
	out := map[string][]override.Reference{}
	for _, c := range p.Clusters {
		if !c.Decision.Selected {
			continue // a hub does not report overrides for a cluster that keeps the placement without being picked
		}
		references, err := p.Content.Overridden(p.Placement.Reference.String(), override.Cluster{Name: c.Name, Labels: c.labels()}, p.Overrides)
		if err != nil {
			return nil, err
		}
		out[c.Name] = references
	}
	return out, nil
}

// Preview converts the prediction to an [engine.Preview].
func (p *Prediction) Preview() *engine.Preview {
	onHub := &engine.HubPreview{
		KeepsAdopted: p.RetainsObjects(), AwaitsChanges: p.options.World.Changes(), External: p.isExternal(), Removing: p.Removing && !p.Remains(),
	}
	onHub.Rollout, onHub.Hold = p.rollout()
	out := &engine.Preview{
		Placement: p.Placement.Reference.String(), Selected: p.Content.Selected, EmptySelectors: p.Content.Empty, Skipped: p.Content.Skipped,
		Fulfilled: p.Outcome.Fulfilled && !p.blocked || p.Removing, Unknown: p.options.World.Unknown(), Definitions: p.Content.Definitions,
		Manager: agent.FieldManager, Hub: onHub,
	}
	for _, c := range p.Clusters {
		out.Clusters = append(out.Clusters, c.preview())
	}
	out.MissingGivers = p.missingGivers()
	out.Dangers = p.dangers()
	return out
}
