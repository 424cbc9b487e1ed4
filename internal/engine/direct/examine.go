package direct

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// reasonDecodingErred is KubeFleet's reason for an object of a kind that the cluster does not serve.
const reasonDecodingErred = "DecodingErred"

// examine looks at the cluster's objects and decides what is to be done to each. A cluster that stops answering on the way is offline;
// other errors are returned.
func (c *clusterPlan) examine(ctx context.Context, p *plan) error {
	if c.decision.Selected {
		objects, err := c.localize(p.request.Name, p.content.objects)
		if err != nil && c.err == nil {
			c.overrideErr = err // nothing is written, and nothing removed, before the override is mended
			return nil
		}
		for _, object := range objects {
			c.items = append(c.items, c.newItem(p.request.Name, object))
		}
	}
	c.leftovers = c.findLeftovers()
	if c.err == nil {
		c.err = c.decideAll(ctx, p)
	}
	if c.err == nil {
		return nil
	}
	for _, i := range c.all() {
		i.Action = engine.ActionNone // what is not known is not promised; clusterPlan.resume says whether work is left
	}
	if c.offline() {
		return nil
	}
	return c.err
}

func (c *clusterPlan) decideAll(ctx context.Context, p *plan) error {
	if err := c.fetch(ctx, p); err != nil {
		return err
	}
	for _, i := range c.items {
		if err := c.decideItem(ctx, i, p.spec.Strategy.ApplyStrategy); err != nil {
			return err
		}
	}
	c.decideLeftovers(p)
	return nil
}

func (c *clusterPlan) newItem(placementName string, object manifest.Object) *item {
	out := &item{hash: object.Hash(), desired: outgoing(object.Content, applySetID(placementName))}
	out.Identifier = object.Identifier
	out.entry, out.known = c.inventory.entry(object.Key())
	return out
}

// owned tells whether the object is the placement's own: it says so itself, or it is the very object that the inventory has as applied.
func (i *item) owned(setID string) bool {
	return i.live != nil && (partOf(i.live) == setID || i.known && i.entry.Hash != "" && i.entry.UID == string(i.live.GetUID()))
}

// decideItem decides about one object that belongs on the cluster.
func (c *clusterPlan) decideItem(ctx context.Context, i *item, strategy *placement.ApplyStrategy) error {
	if i.Action == engine.ActionRefuse {
		return nil
	}
	if problem := i.deletion(); problem != "" {
		i.refuse(takeover.ReasonManifestApplyFailed, problem)
		return nil
	}
	input := takeover.Input{Live: i.live, Strategy: *strategy}
	if i.live != nil {
		setID := partOf(i.desired)
		input.Owned = i.owned(setID)
		input.ForeignPlacement = c.foreignPlacement(i, setID)
		input.OwnerReferences = takeover.OwnerReferences(i.live, "")
		if !input.Owned {
			i.Owner = c.ownerOf(i.live, setID)
		}
	}
	decision := takeover.Decide(input)
	if decision.Action == takeover.ActionNeedsComparison {
		if err := c.compare(ctx, i, strategy, &input); err != nil {
			return err
		}
		decision = takeover.Decide(input)
	}
	i.Reason, i.Message, i.Differences = decision.Reason, decision.Message, decision.Differences
	switch decision.Action {
	case takeover.ActionCreate:
		i.Action = engine.ActionCreate
	case takeover.ActionUpdate:
		return c.decideUpdate(ctx, i, strategy)
	case takeover.ActionTakeOver:
		i.Action = engine.ActionTakeOver
		if !input.Compared {
			i.Differences = takeover.ComparePartialLocal(i.desired, i.live)
		}
	default:
		i.Action = engine.ActionRefuse
		if !input.Compared {
			i.Differences = takeover.ComparePartialLocal(i.desired, i.live)
		}
	}
	return nil
}

// scopeProblem tells what is wrong with an object whose namespace does not fit its kind. The API server would answer "not found".
func (i *item) scopeProblem() string {
	switch {
	case i.mapping.GVR == (schema.GroupVersionResource{}):
		return "" // the kind comes with the placement
	case i.mapping.Namespaced && i.Namespace == "":
		return fmt.Sprintf("the manifest has no metadata.namespace, and %s is a namespaced kind", i.Kind)
	case !i.mapping.Namespaced && i.Namespace != "":
		return fmt.Sprintf("the manifest has metadata.namespace %q, and %s is a cluster-scoped kind", i.Namespace, i.Kind)
	default:
		return ""
	}
}

// deletion says that an object is about to vanish: what is written to it would be lost, and an object that is there already must not be
// recorded as taken over when another one is going to have its name.
func (i *item) deletion() string {
	if i.live == nil || i.live.GetDeletionTimestamp() == nil {
		return ""
	}
	problem := "the object on the cluster is being deleted since " + i.live.GetDeletionTimestamp().UTC().Format(time.RFC3339)
	if finalizers := i.live.GetFinalizers(); len(finalizers) > 0 {
		problem += " and waits for the finalizers " + strings.Join(finalizers, ", ")
	}
	return problem + "; once it is gone, the next apply places it anew"
}

// refuse leaves the object alone and says why, in the form of KubeFleet's Applied condition.
func (i *item) refuse(reason, problem string) {
	i.Action = engine.ActionRefuse
	i.Reason, i.Message = reason, applyFailure(problem)
}

// applyFailure is the message of an Applied condition that is False (KubeFleet, pkg/controllers/workapplier/status.go).
func applyFailure(problem string) string {
	return fmt.Sprintf("Failed to apply the manifest (error: %s)", problem)
}

// foreignPlacement names the live placement, KubeFleet or KubeAdmiral that owns the object, or "".
func (c *clusterPlan) foreignPlacement(i *item, setID string) string {
	owner := c.ownerOf(i.live, setID)
	if !owner.Exclusive {
		return ""
	}
	return owner.String()
}

func (c *clusterPlan) ownerOf(live *unstructured.Unstructured, setID string) takeover.Owner {
	owner := takeover.OwnerOf(live, setID)
	if owner.Kind == takeover.OwnerApplySet {
		if name := c.neighbours.owner(partOf(live)); name != "" {
			return takeover.Owner{Kind: takeover.OwnerPlacement, Name: name, Exclusive: true}
		}
	}
	return owner
}

// compare finds out how a live object that is not ours differs from what is to be placed, in the way the strategy asks for.
func (c *clusterPlan) compare(ctx context.Context, i *item, strategy *placement.ApplyStrategy, input *takeover.Input) error {
	input.Compared = true
	if strategy.ComparisonOption == placement.FullComparison {
		input.Differences = takeover.Compare(i.desired, i.live)
		return nil
	}
	// As KubeFleet does, a partial comparison is made with a forced server-side dry run, whatever the strategy writes with.
	result, _, err := c.cluster.ApplyServerSide(ctx, i.desired, i.live, kube.ApplyOptions{Force: true, DryRun: true})
	switch {
	case err == nil:
		c.dryRun.Store(true)
		input.Differences = takeover.Compare(result, i.live)
	case missesPermission(err):
		input.Differences = takeover.ComparePartialLocal(i.desired, i.live)
	case apierrors.IsInvalid(err):
		c.dryRun.Store(true)
		input.Degraded = true
		input.Differences = takeover.Compare(i.desired, i.live)
	case silent(err):
		return reached(c.name, err)
	default:
		input.CompareErr = err
	}
	return nil
}

// decideUpdate tells whether an object of ours has to be written. While both hashes of the inventory hold, nothing has to be asked.
func (c *clusterPlan) decideUpdate(ctx context.Context, i *item, strategy *placement.ApplyStrategy) error {
	i.Action = engine.ActionNone
	marked := partOf(i.live) == partOf(i.desired)
	sameContent := i.known && i.entry.Hash == i.hash && i.entry.UID == string(i.live.GetUID())
	if sameContent && marked && i.entry.LiveHash == liveHash(i.live) {
		return nil
	}
	i.Differences = takeover.ComparePartialLocal(i.desired, i.live)
	if !sameContent || !marked {
		i.Action = engine.ActionUpdate
		return nil
	}
	if len(i.Differences) == 0 {
		return nil
	}
	// The local comparison knows no defaults and no admission: ask the server what the write would change.
	changed, err := c.wouldChange(ctx, i, strategy)
	switch {
	case kube.IsUnreachable(err):
		return reached(c.name, err)
	case err != nil || changed:
		i.Action = engine.ActionUpdate
	default:
		i.Differences = nil
	}
	return nil
}

// wouldChange makes the write as a dry run and compares the result with what is there.
func (c *clusterPlan) wouldChange(ctx context.Context, i *item, strategy *placement.ApplyStrategy) (bool, error) {
	result, err := c.write(ctx, i, strategy, true)
	if err != nil {
		return false, err
	}
	c.dryRun.Store(true)
	return liveHash(result) != liveHash(i.live), nil
}

// missesPermission tells a refusal by RBAC from one by an admission rule, which are both "Forbidden".
func missesPermission(err error) bool {
	return kube.IsForbidden(err) && strings.Contains(err.Error(), " cannot ") && strings.Contains(err.Error(), " resource ")
}
