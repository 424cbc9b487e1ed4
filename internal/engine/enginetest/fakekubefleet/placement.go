package fakekubefleet

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const (
	placementFinalizer = "kubernetes-fleet.io/crp-cleanup"
	// notice bounds how long a change of selected objects may go unnoticed if the hub is not watched. seldom is the minimum time between two checks of selected
	// objects: reading a namespace takes a request for every kind.
	notice = 500 * time.Millisecond
	seldom = 200 * time.Millisecond
)

// placed is what the hub agent stores about a placement between rounds.
type placed struct {
	generation int64
	content    *source.Content
	// err is the reason why the selectors cannot be resolved.
	err error
	// at is when the selectors were resolved, and number the count of changes at that time.
	at     time.Time
	number int
	// since is when a cluster became available with some content, by binding and snapshot.
	since map[string]time.Time
	// cause is the reason why the rollout controller last processed the placement. seen is the state of the overrides that it read then.
	cause string
	seen  overriding
}

// round is one round for a placement.
type round struct {
	*view
	crp  wire.ClusterResourcePlacement
	spec placement.Spec // defaulted
	mind *placed
	// bindings are the placement's bindings, including pending writes.
	bindings []wire.ClusterResourceBinding
	// seen is the rollout's view of the overrides.
	seen overriding
	// policy and content are the names of the latest snapshots. index is the index of the content.
	policy, content, index string
}

func (l *round) of() engine.Reference { return referenceTo(l.crp) }

func referenceTo(crp wire.ClusterResourcePlacement) engine.Reference {
	return engine.Reference{Namespace: crp.Namespace, Name: crp.Name}
}

// placement runs the steps for a placement. If they write nothing, it writes the status.
func (h *Hub) placement(ctx context.Context, v *view, crp wire.ClusterResourcePlacement) (wrote bool, err error) {
	if crp.DeletionTimestamp != nil {
		return h.forget(ctx, v, crp)
	}
	if wrote, err := h.begins(ctx, crp); wrote || err != nil {
		return wrote, err
	}
	if crp.Namespace != "" { // no webhook sets defaults of a namespaced placement
		crp.Spec = convert.FromPlacementSpec(convert.ToPlacementSpec(crp.Spec).Defaulted())
	}
	l := &round{view: v, crp: crp, spec: convert.ToPlacementSpec(crp.Spec).Defaulted(), bindings: v.bindingsOf(referenceTo(crp)), seen: v.overriding()}
	var same bool
	if l.mind, same = h.resolve(ctx, crp, l.spec); same && v.again {
		return false, nil
	}
	steps := []func(context.Context, *round) (bool, error){h.snapshotPolicy, h.snapshotContent, h.schedule, h.seeOverrides, h.rollout, h.works}
	report := h.writePlacementStatus
	if l.mind.err != nil {
		steps, report = nil, h.refuse
	}
	for _, step := range steps {
		done, err := step(ctx, l)
		if wrote = wrote || done; err != nil {
			return wrote, err
		}
	}
	if wrote {
		return true, nil // the next round reports the status
	}
	if wrote, err = report(ctx, l); !wrote && err == nil {
		h.quiet(referenceTo(crp), v.at)
	}
	return wrote, err
}

// begins writes the finalizer, and the defaults that KubeFleet's webhook sets in cluster-scoped placements.
func (h *Hub) begins(ctx context.Context, crp wire.ClusterResourcePlacement) (wrote bool, err error) {
	change := map[string]any{}
	if !slices.Contains(crp.Finalizers, placementFinalizer) {
		change = finalizers(append(slices.Clone(crp.Finalizers), placementFinalizer)...)
	}
	if crp.Namespace == "" {
		missing, err := defaults(crp)
		if err != nil {
			return false, err
		}
		if len(missing) > 0 {
			change["spec"] = missing
		}
	}
	if len(change) == 0 {
		return false, nil
	}
	return true, h.patch(ctx, hub.KindsOf(referenceTo(crp)).Placement, crp.Namespace, crp.Name, "", change)
}

// defaults returns the defaults that a placement does not have yet.
func defaults(crp wire.ClusterResourcePlacement) (map[string]any, error) {
	before, err := fields(crp.Spec)
	if err != nil {
		return nil, err
	}
	spec := convert.ToPlacementSpec(crp.Spec).Defaulted()
	if written := crp.Spec.Strategy; written == nil || written.DeleteStrategy == nil { // the webhook sets no default for it
		spec.Strategy.DeleteStrategy = nil
	}
	filled, err := fields(convert.FromPlacementSpec(spec))
	return absent(before, filled), err
}

// absent returns the entries of filled that before lacks. It does not compare the elements of lists.
func absent(before, filled map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range filled {
		was, found := before[key]
		if !found {
			out[key] = value
			continue
		}
		inner, isMap := value.(map[string]any)
		wasMap, wasIsMap := was.(map[string]any)
		if isMap && wasIsMap {
			if more := absent(wasMap, inner); len(more) > 0 {
				out[key] = more
			}
		}
	}
	return out
}

// resolve resolves the selectors if the placement or objects that it may select have changed, and periodically if the hub is not watched. same reports that it
// returns the result of an earlier call, and that nothing else requires another round.
func (h *Hub) resolve(ctx context.Context, crp wire.ClusterResourcePlacement, spec placement.Spec) (mind *placed, same bool) {
	h.mu.Lock()
	mind = h.placed[crp.UID]
	if mind == nil {
		mind = &placed{since: map[string]time.Time{}}
		h.placed[crp.UID] = mind
	}
	h.mu.Unlock()
	var selected []manifest.Identifier
	if mind.content != nil {
		selected = mind.content.Selected
	}
	number, known := h.changes.of(crp.Namespace, spec.ResourceSelectors, selected)
	if mind.content != nil && !h.collects(referenceTo(crp)) {
		return mind, false
	}
	if mind.generation == crp.Generation && !h.isResting(referenceTo(crp)) {
		age := time.Since(mind.at)
		switch {
		case mind.err == nil && known && number == mind.number && age < unseen:
			return mind, true
		case mind.err == nil && known && age < seldom:
			h.wakeHubAgentAfter(seldom - age)
			return mind, true
		case (mind.err != nil || !known) && age < notice:
			return mind, true
		}
	}
	content, err := source.Resolve(ctx, h.set, engine.Placement{Reference: referenceTo(crp), Spec: spec}, source.Options{
		Closed: []envelope.Type{envelope.TypeConfigMap},
	})
	if err != nil {
		h.set.Hub.ResetDiscovery() // a kind may have been installed since
	}
	mind.generation, mind.at, mind.number, mind.content, mind.err = crp.Generation, time.Now(), number, content, err
	return mind, false
}

// forget removes the hub's objects of a placement that is being deleted. The bindings remain until the objects are removed from their clusters.
func (h *Hub) forget(ctx context.Context, v *view, crp wire.ClusterResourcePlacement) (wrote bool, err error) {
	if !slices.Contains(crp.Finalizers, placementFinalizer) {
		return false, nil
	}
	of := referenceTo(crp)
	kinds := hub.KindsOf(of)
	for _, s := range v.policies {
		if belongs(s.ObjectMeta, of) {
			if err := h.remove(ctx, kinds.PolicySnapshot, s.Namespace, s.Name, s.UID); err != nil {
				return false, err
			}
		}
	}
	for _, s := range v.contents {
		if belongs(s.ObjectMeta, of) {
			if err := h.remove(ctx, kinds.ResourceSnapshot, s.Namespace, s.Name, s.UID); err != nil {
				return false, err
			}
		}
	}
	for _, b := range v.bindingsOf(of) {
		if b.DeletionTimestamp == nil {
			if err := h.remove(ctx, kinds.Binding, b.Namespace, b.Name, b.UID); err != nil {
				return false, err
			}
		}
	}
	h.mu.Lock()
	delete(h.placed, crp.UID)
	h.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(crp.Finalizers), func(f string) bool { return f == placementFinalizer })
	return true, h.patch(ctx, hub.KindsOf(referenceTo(crp)).Placement, crp.Namespace, crp.Name, "", finalizers(rest...))
}
