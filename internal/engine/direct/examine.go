package direct

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
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
			c.items = append(c.items, c.newItem(object))
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
	var namespaces, others []*item
	for _, i := range c.items {
		switch {
		case i.Action == engine.ActionRefuse && p.reporting():
			i.blockReport()
		case i.Action == engine.ActionRefuse || c.settled(i, p.strategy()):
		case i.isNamespace():
			namespaces = append(namespaces, i)
		default:
			others = append(others, i)
		}
	}
	if err := c.chooseLook(ctx, slices.Concat(namespaces, others)); err != nil {
		return err
	}
	// What becomes of the namespaces that the placement brings matters to what is to be in them.
	for _, items := range [][]*item{namespaces, others} {
		var failed errgroup.Group
		failed.SetLimit(objectsAtOnce)
		for _, i := range items {
			failed.Go(func() error { return c.decideItem(ctx, p, i) })
		}
		if err := failed.Wait(); err != nil {
			return err
		}
	}
	c.decideLeftovers(p)
	if p.purpose == previewing {
		c.forgetContents(p)
	}
	return nil
}

// forgetContents drops what a preview no longer needs: thousands of whole objects take hundreds of megabytes.
func (c *clusterPlan) forgetContents(p *plan) {
	for _, i := range c.items {
		if i.Action == engine.ActionNone {
			i.detectDrift(p, i.live)
		}
	}
	for _, i := range c.all() {
		i.live, i.local = outline(i.live), nil
	}
}

// outline is what an inventory takes from an object.
func outline(u *unstructured.Unstructured) *unstructured.Unstructured {
	if u == nil {
		return nil
	}
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetUID(u.GetUID())
	setLabel(out, applySetPartOfLabel, partOf(u))
	return out
}

// isNamespace tells whether the object is a Namespace.
func (i *item) isNamespace() bool {
	return i.Group == namespaceKind.Group && i.Kind == namespaceKind.Kind
}

// settled tells whether there is nothing to do to an object and nothing to ask about it: it is the placement's own, and both what is to
// be placed and what is stored are as the last apply left them.
func (c *clusterPlan) settled(i *item, strategy *placement.ApplyStrategy) bool {
	if i.live == nil || strategy.Type == placement.ReportDiff {
		return false
	}
	if driftsMatter(strategy) && strategy.ComparisonOption == placement.FullComparison {
		return false // the API server's defaults count as drift there, and were not there before
	}
	if !i.same && (!i.undisputed() || !i.unchanged() || i.entry.LiveHash != liveHash(i.live)) {
		return false
	}
	i.Action, i.Owned = engine.ActionNone, true
	return true
}

// undisputed tells whether the object says that it is the placement's own, and nothing else that would matter to a decision.
func (i *item) undisputed() bool {
	return i.marked() && i.live.GetDeletionTimestamp() == nil && len(i.live.GetOwnerReferences()) == 0
}

// unchanged tells whether the object is the one that the last apply wrote, from the same content.
func (i *item) unchanged() bool {
	return i.known && i.entry.Hash == i.hash && i.entry.UID == string(i.live.GetUID())
}

// marked tells whether the object says itself that it is the placement's own.
func (i *item) marked() bool { return partOf(i.live) == partOf(i.desired) }

func (c *clusterPlan) newItem(object placed) *item {
	out := &item{hash: object.hash, desired: object.desired}
	out.Identifier = object.Identifier
	out.entry, out.known = c.inventory.entry(object.Key())
	return out
}

// owned tells whether the object is the placement's own: it says so itself, or it is the very object that the inventory has as applied.
func (i *item) owned(setID string) bool {
	return i.live != nil && (partOf(i.live) == setID || i.known && i.entry.Hash != "" && i.entry.UID == string(i.live.GetUID()))
}

// decideItem decides about one object that belongs on the cluster.
func (c *clusterPlan) decideItem(ctx context.Context, p *plan, i *item) error {
	input := c.situation(p, i)
	if p.reporting() {
		return c.decideReport(ctx, i, input)
	}
	decision := takeover.Decide(input)
	if decision.Action == takeover.ActionNeedsComparison {
		if err := c.compareInto(ctx, i, &input); err != nil {
			return err
		}
		decision = takeover.Decide(input)
	}
	i.Reason, i.Message, i.Differences = decision.Reason, decision.Message, decision.Differences
	if problem := i.deletion(); problem != "" && decision.Action != takeover.ActionRefuse {
		i.ObservedDiffs = nil
		i.refuse(reasonManifestApplyFailed, problem)
		return nil
	}
	switch decision.Action {
	case takeover.ActionCreate:
		i.Action = engine.ActionCreate
		return c.rehearse(ctx, p, i)
	case takeover.ActionUpdate:
		return c.decideUpdate(ctx, p, i)
	case takeover.ActionTakeOver:
		i.ObservedDiffs = nil
		if problem := p.request.Expected.Contradicts(c.name, i.Key(), i.Mark); problem != "" {
			i.refuse(takeover.ReasonFailedToTakeOver, problem+"; it was left as it is. Plan again to see what it is")
			return c.refine(ctx, i, input)
		}
		i.Action = engine.ActionTakeOver
		if !input.Compared {
			i.Differences = i.local
		}
		return c.rehearse(ctx, p, i)
	default:
		i.Action = engine.ActionRefuse
		return c.refine(ctx, i, input)
	}
}

// situation is what a decision about an object depends on.
func (c *clusterPlan) situation(p *plan, i *item) takeover.Input {
	input := takeover.Input{Live: i.live, Strategy: *p.strategy()}
	if i.live == nil {
		i.Mark = engine.MarkAbsent
		return input
	}
	setID := partOf(i.desired)
	input.Owned = i.owned(setID)
	owner := c.ownerOf(i.live, setID)
	if owner.Exclusive { // a live placement, KubeFleet or KubeAdmiral
		input.ForeignPlacement = owner.String()
	}
	input.OwnerReferences = takeover.OwnerReferences(i.live, "")
	i.Owned = input.Owned
	if !input.Owned {
		i.Owner = owner
		i.local, i.doubtful = diff.XPARTIAL(i.desired, i.live)
		i.Mark = engine.Mark(i.local)
	}
	return input
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
	i.Reason, i.Message, i.problem = reason, applyFailure(problem), problem
}

// applyFailure is the message of an Applied condition that is False (KubeFleet, pkg/controllers/workapplier/status.go).
func applyFailure(problem string) string {
	return fmt.Sprintf("Failed to apply the manifest (error: %s)", problem)
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
