package apply

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// polling is how often an object that is not available yet is looked at: often at first, because most are in a moment.
var polling = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 1.5, Steps: 100, Cap: 5 * time.Second}

// definitionTime is how long a CustomResourceDefinition may take to be served before the objects of its kind are tried anyway.
const definitionTime = 30 * time.Second

// patience is how long a cluster may not answer before it is no longer waited for.
var patience = 30 * time.Second

// waitAvailable looks at the availability of what was applied, again and again if asked to wait. It returns whether time ran out. Waiting
// costs little, so all clusters are waited for at once: a slow one does not keep others from being looked at.
func (r *run) waitAvailable(ctx context.Context, again bool) bool {
	var group errgroup.Group
	for _, c := range r.clusters {
		if c.problem() != nil {
			continue
		}
		for _, i := range c.Items {
			c.assess(i)
		}
		if again && len(c.waitingItems()) > 0 {
			group.Go(func() error { return c.poll(ctx) })
		}
	}
	return group.Wait() != nil
}

// poll looks at the objects that are not available yet until they are. A cluster that stops answering has fallen out.
func (c *cluster) poll(ctx context.Context) error {
	var since time.Time // when the cluster stopped answering
	var last error
	err := polling.DelayFunc().Until(ctx, false, true, func(ctx context.Context) (bool, error) {
		refs := map[kube.Ref]*plan.Item{}
		for _, i := range c.waitingItems() {
			refs[kube.RefOf(i.Live)] = i
		}
		found, errs := c.Client.GetMany(ctx, slices.Collect(maps.Keys(refs)))
		for ref, live := range found {
			refs[ref].Live = live
			c.assess(refs[ref])
		}
		last = nil
		for _, err := range errs {
			if clusterset.IsUnavailable(err) && ctx.Err() == nil {
				last = err
			}
		}
		switch {
		case last == nil:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return len(c.waitingItems()) == 0 || last != nil && time.Since(since) >= patience, nil
	})
	if last != nil {
		c.fall(last)
	}
	return err
}

func (c *cluster) waitingItems() []*plan.Item {
	var out []*plan.Item
	for _, i := range c.Items {
		if o := c.done[i]; o != nil && o.waiting != nil {
			out = append(out, i)
		}
	}
	return out
}

// assess fills in the availability of an object that is applied.
func (c *cluster) assess(i *plan.Item) {
	o := c.done[i]
	if o == nil || o.failure != nil || i.Live == nil || i.Action == takeover.ActionReport {
		return
	}
	availability, message := rollout.AvailabilityOf(i.Live, i.Mapping.GVR.Resource)
	o.waiting, o.untracked = nil, false
	switch availability {
	case rollout.NotTrackable:
		o.untracked = true
	case rollout.NotYet:
		o.waiting = notAvailable(i, "ManifestNotAvailableYet", "Manifest is not yet available; Fleet will check again later ("+message+")")
	case rollout.Failed:
		o.waiting = notAvailable(i, "Failed", "Failed to track the availability of the applied manifest (error = "+message+")")
	}
}

func notAvailable(i *plan.Item, reason, message string) *placement.Condition {
	return &placement.Condition{
		Type: placement.Available, Status: placement.False, Reason: reason, Message: message, ObservedGeneration: generationOf(i),
	}
}

// awaitDefinitions waits until kinds that a wave defines are served, and looks up the kinds of the objects that waited for them.
func (c *cluster) awaitDefinitions(ctx context.Context, applied []*plan.Item) {
	var definitions []*plan.Item
	for _, i := range applied {
		if i.Mapping.GVR.Resource == "customresourcedefinitions" && c.done[i] != nil && c.done[i].failure == nil {
			definitions = append(definitions, i)
		}
	}
	var homeless []*plan.Item
	for _, i := range c.Items {
		if i.Mapping.GVR.Resource == "" && !i.Action.Leaves() && i.Action != takeover.ActionReject {
			homeless = append(homeless, i)
		}
	}
	if len(definitions) == 0 || len(homeless) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, definitionTime)
	defer cancel()
	_ = polling.DelayFunc().Until(ctx, false, true, func(ctx context.Context) (bool, error) {
		c.Client.ResetDiscovery()
		for _, i := range homeless {
			// One that is not served yet keeps its empty mapping; the write says so if it never is.
			i.Mapping, _ = c.Client.Resolve(ctx, i.GroupVersionKind())
		}
		return !slices.ContainsFunc(homeless, func(i *plan.Item) bool { return i.Mapping.GVR.Resource == "" }), nil
	})
	for _, i := range definitions {
		// As they were written they were not established yet.
		if live, err := c.Client.Get(ctx, i.GroupVersionKind(), "", i.Name); err == nil {
			i.Live = live
		}
	}
}

func generationOf(i *plan.Item) int64 {
	if i.Live == nil {
		return 0
	}
	return i.Live.GetGeneration()
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
