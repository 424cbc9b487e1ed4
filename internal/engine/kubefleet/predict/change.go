package predict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Change predicts what a hub does with an existing placement because the world of the options changes. It returns nil if the change makes no difference
// to what is placed where.
func Change(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	if affected, err := affected(ctx, clusters, p, options.World); err != nil || !affected {
		return nil, err
	}
	unchanged := options
	unchanged.World = engine.World{}
	before, err := foresee(ctx, clusters, p, unchanged, hub.Whole)
	if err != nil {
		return nil, err
	}
	after, err := foresee(ctx, clusters, p, options, hub.Whole)
	if err != nil || before.assignment() == after.assignment() {
		return nil, err
	}
	for _, prediction := range []*Prediction{before, after} {
		if err := prediction.examine(ctx, clusters); err != nil {
			return nil, err
		}
	}
	return after.Preview().Beyond(before.Preview()), nil
}

// affected reports whether a change of envelopes and overrides alone can affect a placement, which takes fewer requests than a prediction does.
func affected(ctx context.Context, clusters *clusterset.Set, p engine.Placement, change engine.World) (bool, error) {
	if len(change.Members) > 0 {
		return true, nil
	}
	options := source.Options{Closed: closed, Kept: keeps(ctx, clusters.Hub)}
	before, err := source.Resolve(ctx, clusters, p, options)
	if err != nil {
		return false, err
	}
	options.World = change
	after, err := source.Resolve(ctx, clusters, p, options)
	if err != nil || before.ClosedHash() != after.ClosedHash() {
		return true, err
	}
	existing, err := hub.Overrides(ctx, clusters.Hub, after.Namespaced())
	if err != nil {
		return false, err
	}
	changed := changedOverrides(existing, change)
	return slices.ContainsFunc(after.Objects, func(o source.Object) bool { return changed.Select(o.Identifier, p.Reference.String()) }), nil
}

// changedOverrides are the overrides that a change concerns, as they are and as they will be.
func changedOverrides(existing override.Overrides, change engine.World) override.Overrides {
	out := change.Overridden(override.Overrides{})
	for _, o := range existing.Cluster {
		if _, found := change.Overrides[override.Reference{Name: o.Name}]; found {
			out.Cluster = append(out.Cluster, o)
		}
	}
	for _, o := range existing.Namespaced {
		if _, found := change.Overrides[override.Reference{Namespace: o.Namespace, Name: o.Name}]; found {
			out.Namespaced = append(out.Namespaced, o)
		}
	}
	return out
}

// assignment is which objects are placed on which cluster, in a form that can be compared.
func (p *Prediction) assignment() string {
	var out []string
	for _, c := range p.Clusters {
		if !c.placed {
			continue
		}
		objects, _, err := p.Content.Localize(p.Placement.Reference.String(), override.Cluster{Name: c.Name, Labels: c.labels()}, c.overrides)
		hashes := make([]string, len(objects))
		for i, o := range objects {
			hashes[i] = o.Hash
		}
		out = append(out, fmt.Sprintf("%s %v %v", c.Name, hashes, err))
	}
	return strings.Join(out, "\n")
}
