package fakekubefleet

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberapply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Delays before an agent applies a Work again. For an incomplete Work, the delay grows from retry to patience. For a complete Work, it is repeat, and at least
// afterHold from the end of a pause of the placement. Real agents wait up to 15 minutes, so they rarely revert a change that another client makes on the member
// between a plan and its apply.
const (
	retry     = 500 * time.Millisecond
	patience  = 2 * time.Second
	repeat    = 5 * time.Second
	afterHold = 30 * time.Second
)

// memberAgent is the agent of one member.
type memberAgent struct {
	hub    *Hub
	name   string
	member *kube.Cluster

	mu   sync.Mutex
	done map[types.UID]state
}

// state is the time and the result of a Work's last apply.
type state struct {
	generation int64
	began      time.Time
	again      time.Time
	done       bool
	// tries is the number of consecutive incomplete attempts.
	tries int
	last  placement.ClusterStatus
}

// reconcile applies the Works that are due, once, and reports when the next one is due.
func (a *memberAgent) reconcile(ctx context.Context) (again time.Duration, err error) {
	if a.hub.isPaused(a.name) {
		return rest, nil
	}
	a.hub.round.RLock()
	defer a.hub.round.RUnlock()
	works, err := a.works(ctx)
	if err != nil {
		return 0, err
	}
	var group errgroup.Group
	group.SetLimit(4)
	for _, w := range works {
		if a.hub.isResting(placementOf(w)) {
			continue
		}
		group.Go(func() error {
			if w.DeletionTimestamp != nil {
				return a.withdraw(ctx, w)
			}
			return a.apply(ctx, w, works)
		})
	}
	err = group.Wait()
	return a.next(works), err
}

// works returns all Works of the member.
func (a *memberAgent) works(ctx context.Context) ([]wire.Work, error) {
	return hub.List[wire.Work](ctx, a.hub.set.Hub, hub.Work, namespaceOf(a.name), "")
}

// next returns the time until one of the Works is due again, at most rest. Releasing a hold wakes the agent.
func (a *memberAgent) next(works []wire.Work) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := rest
	for _, w := range works {
		s := a.done[w.UID]
		switch {
		case w.DeletionTimestamp != nil && slices.Contains(w.Finalizers, workFinalizer):
			out = min(out, interval/4)
		case s.generation == w.Generation:
			out = min(out, max(interval/4, time.Until(s.again)))
		}
	}
	return out
}

// due reports whether it is time to apply a Work.
func (a *memberAgent) due(w wire.Work) (state, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, placement := a.done[w.UID], placementOf(w)
	again := s.again
	if after := a.hub.released(placement).Add(afterHold); s.done && after.After(again) {
		again = after
	}
	return s, s.generation != w.Generation || time.Now().After(again) || a.hub.asked(placement).After(s.began)
}

// apply applies the objects of a Work to the member and reports the result.
func (a *memberAgent) apply(ctx context.Context, w wire.Work, all []wire.Work) error {
	before, due := a.due(w)
	if !due || !a.hub.begin(placementOf(w)) {
		return nil
	}
	defer a.hub.end(placementOf(w))
	began := time.Now()
	owner, err := a.appliedWork(ctx, w)
	if err != nil {
		return err
	}
	strategy := placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: new(convert.ToApplyStrategy(*w.Spec.ApplyStrategy))}}.Defaulted().Strategy.ApplyStrategy
	items, defines, err := itemsOf(w)
	if err != nil {
		return err
	}
	reference := agent.Reference(*owner)
	member, writes := a.view(*strategy, reference, all, defines)
	ownership := writes.ownership
	leftovers := leftoversOf(*owner, items)
	if err := member.Preview(ctx, items, leftovers); err != nil {
		return err
	}
	run := memberapply.New(member, func(context.Context, *unstructured.Unstructured) error { return nil })
	reporting := strategy.Type == placement.ReportDiff
	if reporting {
		if err := a.claim(ctx, items, ownership, reference, strategy.WhenToTakeOver); err != nil {
			return err
		}
	}
	run.Apply(ctx, items)
	if err := run.Unreachable(); err != nil {
		return err
	}
	if !reporting {
		for _, o := range leftovers {
			if err := a.release(ctx, o.Live, reference, ownership); err != nil {
				return err
			}
		}
		if err := a.recordApplied(ctx, items, run, writes); err != nil {
			return err
		}
		if err := a.note(ctx, *owner, items, run); err != nil {
			return err
		}
	}
	run.Assess(items)
	r := reportOf(items, run, writes, before.last)
	r.began = began
	a.keep(w, began, r)
	say := a.hub.writeApplied
	if reporting {
		say = a.hub.writeReport
	}
	if err := say(ctx, w, r); err != nil {
		return err
	}
	a.hub.storeReport(w, r)
	return nil
}

// view returns how the agent reads the member for a Work, and how it writes there.
func (a *memberAgent) view(
	strategy placement.ApplyStrategy, reference metav1.OwnerReference, all []wire.Work, defines map[schema.GroupKind]bool,
) (*memberpreview.Member, *writer) {
	ownership := &agent.Ownership{
		Own: map[string]metav1.OwnerReference{reference.Name: reference},
		WorkExists: func(name string) bool {
			return slices.ContainsFunc(all, func(other wire.Work) bool { return other.Name == name })
		},
	}
	writes := &writer{Writer: agent.Writer{Cluster: a.member, Strategy: strategy, Owner: &reference}, ownership: ownership}
	return &memberpreview.Member{
		Cluster: a.member, Schema: a.hub.set.Schema, Ownership: ownership, Writer: writes, Strategy: strategy, FieldManager: agent.FieldManager,
		Defines: func(gvk schema.GroupVersionKind) bool { return defines[gvk.GroupKind()] }, WritesToTerminating: true,
	}, writes
}

// keep stores the result of applying a Work and when to apply it again.
func (a *memberAgent) keep(w wire.Work, began time.Time, r report) {
	a.mu.Lock()
	defer a.mu.Unlock()
	again, tries, done := repeat, 0, len(r.failed)+len(r.waiting) == 0
	if !done {
		if before := a.done[w.UID]; before.generation == w.Generation {
			tries = before.tries + 1
		}
		again = min(patience, retry<<min(tries/2, 2))
	}
	a.done[w.UID] = state{
		generation: w.Generation, began: began, again: time.Now().Add(again), done: done, tries: tries,
		last: placement.ClusterStatus{DiffedPlacements: r.diffed, DriftedPlacements: r.drifted},
	}
}

// itemsOf returns the objects of a Work as sent, and the kinds that it defines.
func itemsOf(w wire.Work) (items []*memberpreview.Object, defines map[schema.GroupKind]bool, err error) {
	defines = map[schema.GroupKind]bool{}
	in := convert.EnvelopeOf(w.ObjectMeta)
	for _, raw := range w.Spec.Workload.Manifests {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(raw.Raw); err != nil {
			return nil, nil, err
		}
		object := source.NewObject(manifest.NewObject(u, in))
		item := &memberpreview.Object{Hash: object.Hash, Desired: agent.Outgoing(u)}
		item.Identifier = object.Identifier
		items = append(items, item)
		if manifest.IsDefinition(object.Identifier) {
			defines[manifest.DefinedKind(u)] = true
		}
	}
	return items, defines, nil
}

// leftoversOf returns the objects that the agent has applied and that are no longer in the Work.
func leftoversOf(owner wire.AppliedWork, items []*memberpreview.Object) []*memberpreview.Object {
	wanted := map[manifest.Key]bool{}
	for _, o := range items {
		wanted[o.Key()] = true
	}
	var out []*memberpreview.Object
	for _, applied := range owner.Status.AppliedResources {
		o := &memberpreview.Object{}
		o.Identifier = agent.Identifier(applied)
		if !wanted[o.Key()] {
			out = append(out, o)
		}
	}
	return out
}

// reportOf returns the agent's report of a Work.
func reportOf(items []*memberpreview.Object, run *memberapply.Run, writes *writer, before placement.ClusterStatus) report {
	out := report{objects: len(items)}
	now := time.Now()
	for _, o := range items {
		outcome := run.Outcome(o)
		if outcome == nil || outcome.Failure == nil {
			out.applied = append(out.applied, o.Identifier)
		}
		switch {
		case outcome == nil:
		case outcome.Failure != nil:
			out.failed = append(out.failed, placement.FailedPlacement{Identifier: o.Identifier, Condition: writes.failure(o, *outcome.Failure)})
		case outcome.Waiting != nil:
			out.waiting = append(out.waiting, placement.FailedPlacement{Identifier: o.Identifier, Condition: *outcome.Waiting})
		case outcome.Untracked:
			out.untracked++
		}
		if len(o.ObservedDiffs) > 0 {
			out.diffed = append(out.diffed, placement.NewDiffed(o.Identifier, o.ObservedDiffs, memberapply.Generation(o), before, now))
		}
		if len(o.ObservedDrifts) > 0 {
			out.drifted = append(out.drifted, placement.NewDrifted(o.Identifier, o.ObservedDrifts, memberapply.Generation(o), before, now))
		}
	}
	return out
}
