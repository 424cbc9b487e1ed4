package direct

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// polling is how often an object that is not available yet is looked at: often at first, because most are in a moment.
var polling = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 1.5, Steps: 100, Cap: 5 * time.Second}

// definitionTime is how long a CustomResourceDefinition may take to be served before the objects of its kind are tried anyway.
const definitionTime = 30 * time.Second

// waitAvailable looks at the availability of what was applied, again and again if asked to wait. It returns whether time ran out.
func (r *run) waitAvailable(ctx context.Context, again bool) bool {
	err := r.engine.onEach(ctx, r.plan.clusterNames(), func(ctx context.Context, name string) error {
		c := r.outcomes[name]
		if c.err != nil || c.silent != nil {
			return nil
		}
		for _, i := range c.items {
			c.assess(i)
		}
		if !again {
			return nil
		}
		return c.poll(ctx)
	})
	return err != nil
}

func (c *clusterRun) poll(ctx context.Context) error {
	if len(c.waitingItems()) == 0 {
		return nil
	}
	return polling.DelayFunc().Until(ctx, false, true, func(ctx context.Context) (bool, error) {
		waiting := c.waitingItems()
		refs := map[kube.Ref]*item{}
		for _, i := range waiting {
			refs[kube.RefOf(i.live)] = i
		}
		found, _ := c.cluster.GetMany(ctx, slices.Collect(maps.Keys(refs)))
		for ref, live := range found {
			refs[ref].live = live
			c.assess(refs[ref])
		}
		return len(c.waitingItems()) == 0, nil
	})
}

func (c *clusterRun) waitingItems() []*item {
	var out []*item
	for _, i := range c.items {
		if o := c.done[i]; o != nil && o.waiting != nil {
			out = append(out, i)
		}
	}
	return out
}

// assess fills in the availability of an object that is applied.
func (c *clusterRun) assess(i *item) {
	o := c.done[i]
	if o == nil || o.failure != nil || i.live == nil {
		return
	}
	availability, message := rollout.AvailabilityOf(i.live, i.mapping.GVR.Resource)
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

func notAvailable(i *item, reason, message string) *placement.Condition {
	return &placement.Condition{
		Type: placement.Available, Status: placement.False, Reason: reason, Message: message, ObservedGeneration: generationOf(i),
	}
}

// awaitDefinitions waits until kinds that a wave defines are served, and looks up the kinds of the objects that waited for them.
func (c *clusterRun) awaitDefinitions(ctx context.Context, applied []*item) {
	var definitions []*item
	for _, i := range applied {
		if i.mapping.GVR.Resource == "customresourcedefinitions" && c.done[i] != nil && c.done[i].failure == nil {
			definitions = append(definitions, i)
		}
	}
	var homeless []*item
	for _, i := range c.items {
		if i.mapping.GVR.Resource == "" {
			homeless = append(homeless, i)
		}
	}
	if len(definitions) == 0 || len(homeless) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, definitionTime)
	defer cancel()
	_ = polling.DelayFunc().Until(ctx, false, true, func(ctx context.Context) (bool, error) {
		c.cluster.ResetDiscovery()
		for _, i := range homeless {
			mapping, err := c.cluster.Resolve(ctx, i.GroupVersionKind())
			if err != nil {
				return false, nil //nolint:nilerr // not served yet; the write will say so if it never is
			}
			i.mapping = mapping
		}
		return true, nil
	})
}

func generationOf(i *item) int64 {
	if i.live == nil {
		return 0
	}
	return i.live.GetGeneration()
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
