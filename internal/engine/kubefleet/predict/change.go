package predict

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// Change predicts what a hub does with an existing placement after the change in options.World. It returns nil if the change makes no difference for the
// placement, or only on members that the change removes. It also returns nil if the placement is invalid with the same error before and after the change.
// Clusters without a difference are not checked, and have no objects in the preview.
func Change(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	if affected, err := affected(ctx, clusters, p, options.World); err != nil || !affected {
		return nil, err
	}
	unchanged := options
	unchanged.World = engine.World{}
	before, invalid := predict(ctx, clusters, p, unchanged, hub.ReadAll)
	if invalid != nil && !isInvalid(invalid) {
		return nil, invalid
	}
	after, err := predict(ctx, clusters, p, options, hub.ReadAll)
	if err != nil && invalid != nil && err.Error() == invalid.Error() {
		return nil, nil //nolint:nilnil // see above
	}
	if err != nil {
		return nil, err
	}
	changed := slices.DeleteFunc(after.movedOn(before), func(name string) bool {
		planned, found := options.World.Members[name]
		return found && planned.Want == nil // the agent of a removed member deletes nothing
	})
	if len(changed) == 0 {
		return nil, nil //nolint:nilnil // see above
	}
	// before is nil if the placement is invalid without the change. The hub then places everything because of the change.
	if err := after.checkMembers(ctx, clusters, changed); err != nil || before == nil {
		return after.Preview(), err
	}
	if err := before.checkMembers(ctx, clusters, changed); err != nil {
		return nil, err
	}
	return after.Preview().Beyond(before.Preview()), nil
}

// isInvalid reports whether err is the error for a placement whose selectors a hub cannot resolve, or whose content has an object twice. A hub does nothing for
// an invalid placement until the selectors or the objects are fixed.
func isInvalid(err error) bool {
	_, selects := errors.AsType[*selection.Error](err)
	_, duplicate := errors.AsType[*envelope.DuplicateError](err)
	return selects || duplicate
}

// affected reports whether a change can affect a placement. It sends fewer requests than a prediction.
func affected(ctx context.Context, clusters *clusterset.Set, p engine.Placement, change engine.World) (bool, error) {
	var existing override.Overrides
	if len(change.Overrides)+len(change.Members) > 0 {
		var err error
		if existing, err = hub.Overrides(ctx, clusters.Hub, true); err != nil {
			return false, err
		}
	}
	changed := changedOverrides(existing, change)
	reached := canReach(p, change, changed)
	if len(change.Members) > 0 {
		if reached || len(existing.Cluster)+len(existing.Namespaced) > 0 { // the overrides select clusters by their labels
			return true, nil
		}
		return moves(ctx, clusters, p, change)
	}
	if !reached {
		return false, nil
	}
	options := source.Options{Closed: closedEnvelopes, Kept: keeps(ctx, clusters.Hub)}
	before, err := source.Resolve(ctx, clusters, p, options)
	if isInvalid(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	options.World = change
	after, err := source.Resolve(ctx, clusters, p, options)
	if err != nil || before.ClosedHash() != after.ClosedHash() {
		return true, err
	}
	return slices.ContainsFunc(after.Objects, func(o source.Object) bool { return changed.Select(o.Identifier, p.Reference.String()) }), nil
}

// changedOverrides returns both versions of the overrides that a change modifies: those on the hub, and those after the change.
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

// movedOn returns the names of the clusters on which the content differs between p and before. If before is nil, it returns all clusters on which the placement
// is or will be.
func (p *Prediction) movedOn(before *Prediction) []string {
	was := map[string]string{}
	if before != nil {
		was = before.assignment()
	}
	is := p.assignment()
	var out []string
	for _, c := range p.Clusters {
		if before == nil && c.isConcerned() || is[c.Name] != was[c.Name] {
			out = append(out, c.Name)
		}
	}
	return out
}

// assignment returns, by the name of each cluster with the placement, a text that identifies the objects placed on the cluster.
func (p *Prediction) assignment() map[string]string {
	out := map[string]string{}
	for _, c := range p.Clusters {
		if !c.placed {
			continue
		}
		objects, _, err := p.Content.Localize(p.Placement.Reference.String(), override.Cluster{Name: c.Name, Labels: c.labels()}, c.overrides)
		hashes := make([]string, len(objects))
		for i, o := range objects {
			hashes[i] = fmt.Sprintf("%v %s", o.Envelope, o.Hash) // an agent deletes and recreates an object that moves to another envelope
		}
		out[c.Name] = fmt.Sprintf("%v %v", hashes, err)
	}
	return out
}
