package direct

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ApplyOverride records the override on every configured member.
func (e *Engine) ApplyOverride(ctx context.Context, o engine.Override, prior *engine.Override) (engine.KeptOverride, error) {
	want, err := record.Override{Namespace: o.Namespace, Name: o.Name, Cluster: o.Cluster, Namespaced: o.Namespaced}.Encode()
	if err != nil {
		return engine.KeptOverride{}, err
	}
	missing, err := e.clusters.EachReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		if err := mayOverride(ctx, cluster, o); err != nil {
			return err
		}
		live, err := cluster.Get(ctx, record.ConfigMapKind, record.Namespace, want.GetName())
		switch {
		case kube.IsNotFound(err):
			if err := record.EnsureNamespace(ctx, cluster); err != nil {
				return err
			}
			live = nil
		case err != nil:
			return err
		case prior == nil && !record.Holds(live, want):
			return &engine.ExistsError{What: "The " + o.Reference.String(), Where: cluster.Name(), Import: engine.Reference(o.Reference).String()}
		}
		_, err = record.Put(ctx, cluster, want, live)
		return err
	})
	return engine.KeptOverride{Override: o, MissingOn: missing}, err
}

// mayOverride refuses what KubeFleet's webhooks refuse: two overrides that select the same object, and more overrides than there may be.
func mayOverride(ctx context.Context, cluster *kube.Cluster, o engine.Override) error {
	records, err := cluster.List(ctx, record.ConfigMapKind, record.Namespace, record.KindLabel+"="+record.OverrideKind)
	if err != nil {
		return err
	}
	var others override.Overrides
	for _, u := range records {
		known, err := record.DecodeOverride(u)
		if err != nil {
			return err
		}
		known.AddTo(&others)
	}
	var problems []placement.Problem
	if o.Cluster != nil {
		problems = override.ConflictsCluster(override.ClusterResourceOverride{Name: o.Name, Spec: *o.Cluster}, others.Cluster)
	}
	if o.Namespaced != nil {
		problems = override.Conflicts(override.ResourceOverride{Namespace: o.Namespace, Name: o.Name, Spec: *o.Namespaced}, others.Namespaced)
	}
	if len(problems) == 0 {
		return nil
	}
	return &engine.LimitationError{Limitation: engine.Limitation{Path: problems[0].Path, Message: problems[0].String()}}
}

// ReadOverride reads the record from every configured member. The one that most members have counts; the others are named.
func (e *Engine) ReadOverride(ctx context.Context, reference override.Reference, _ *engine.Override) (engine.KeptOverride, error) {
	ctx = kube.Look(ctx)
	var mu sync.Mutex
	found := map[string]*record.Override{}
	missing, err := e.clusters.EachReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		live, err := cluster.Get(ctx, record.ConfigMapKind, record.Namespace, record.OverrideName(reference))
		if kube.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		known, err := record.DecodeOverride(live)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found[cluster.Name()] = known
		return nil
	})
	if err != nil {
		return engine.KeptOverride{}, err
	}
	chosen := commonest(found)
	if chosen == nil {
		if len(missing) > 0 {
			return engine.KeptOverride{}, &engine.UnreachableError{
				Cluster: missing[0], Err: errors.New("no member that answers has a record of the " + reference.String()),
			}
		}
		return engine.KeptOverride{}, engine.ErrNotFound
	}
	for _, name := range e.clusters.Names() {
		if known := found[name]; (known == nil || known.Text() != chosen.Text()) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return engine.KeptOverride{
		Override: engine.Override{Reference: reference, Cluster: chosen.Cluster, Namespaced: chosen.Namespaced}, MissingOn: missing,
	}, nil
}

// commonest returns the record that most members have; of two, the one of the first member by name.
func commonest(found map[string]*record.Override) *record.Override {
	votes := map[string]int{}
	for _, known := range found {
		votes[known.Text()]++
	}
	var chosen *record.Override
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if chosen == nil || votes[found[name].Text()] > votes[chosen.Text()] {
			chosen = found[name]
		}
	}
	return chosen
}

// DeleteOverride removes the records. A member that does not answer must be asked again, or it would go on with the override.
func (e *Engine) DeleteOverride(ctx context.Context, prior engine.Override) error {
	reference := prior.Reference
	missing, err := e.clusters.EachReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		live, err := cluster.Get(ctx, record.ConfigMapKind, record.Namespace, record.OverrideName(reference))
		if kube.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return record.Remove(ctx, cluster, live)
	})
	if err == nil && len(missing) > 0 {
		err = &engine.UnreachableError{
			Cluster: missing[0], Err: errors.New("the record of the " + reference.String() + " could not be removed, because the member does not answer"),
		}
	}
	return err
}
