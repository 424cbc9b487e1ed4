package standin

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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const (
	placementFinalizer = "kubernetes-fleet.io/crp-cleanup"
	// notice is how long a change of what is selected may go unnoticed.
	notice = 300 * time.Millisecond
)

// placed is what the hub agent keeps in mind of a placement.
type placed struct {
	generation int64
	content    *source.Content
	// err is why the selectors cannot be resolved.
	err error
	// at is when they were resolved.
	at time.Time
	// since is when a cluster became available with a content, by binding and snapshot.
	since map[string]time.Time
}

// look is one look at a placement.
type lookAt struct {
	*view
	crp  wire.ClusterResourcePlacement
	spec placement.Spec // defaulted
	mind *placed
	// policy and content are the names of the latest snapshots, index is that of the content.
	policy, content, index string
}

func (l *lookAt) of() engine.Reference { return referenceTo(l.crp) }

func referenceTo(crp wire.ClusterResourcePlacement) engine.Reference {
	return engine.Reference{Namespace: crp.Namespace, Name: crp.Name}
}

// placement does for a placement what there is to do, a step at a time.
func (h *Hub) placement(ctx context.Context, v *view, crp wire.ClusterResourcePlacement) (wrote bool, err error) {
	if crp.DeletionTimestamp != nil {
		return h.forget(ctx, v, crp)
	}
	if !slices.Contains(crp.Finalizers, placementFinalizer) {
		fields := finalizers(append(slices.Clone(crp.Finalizers), placementFinalizer)...)
		return true, h.patch(ctx, hub.KindsOf(referenceTo(crp)).Placement, crp.Namespace, crp.Name, "", fields)
	}
	if crp.Namespace != "" { // no webhook fills in the defaults of one in a namespace
		crp.Spec = convert.FromPlacementSpec(convert.ToPlacementSpec(crp.Spec).Defaulted())
	} else if wrote, err := h.fillIn(ctx, crp); wrote || err != nil {
		return wrote, err
	}
	l := &lookAt{view: v, crp: crp, spec: convert.ToPlacementSpec(crp.Spec).Defaulted()}
	l.mind = h.resolve(ctx, crp, l.spec)
	steps := []func(context.Context, *lookAt) (bool, error){h.snapshotPolicy, h.snapshotContent, h.schedule, h.rollout, h.works, h.tell}
	if l.mind.err != nil {
		steps = []func(context.Context, *lookAt) (bool, error){h.refuse}
	}
	for _, step := range steps {
		if wrote, err := step(ctx, l); wrote || err != nil {
			return wrote, err
		}
	}
	h.quiet(crp.Name, v.at)
	return false, nil
}

// fillIn writes the defaults that KubeFleet's webhook fills in.
func (h *Hub) fillIn(ctx context.Context, crp wire.ClusterResourcePlacement) (wrote bool, err error) {
	before, err := fields(crp.Spec)
	if err != nil {
		return false, err
	}
	spec := convert.ToPlacementSpec(crp.Spec).Defaulted()
	if written := crp.Spec.Strategy; written == nil || written.DeleteStrategy == nil { // the webhook has no default for it
		spec.Strategy.DeleteStrategy = nil
	}
	filled, err := fields(convert.FromPlacementSpec(spec))
	if err != nil {
		return false, err
	}
	missing := absent(before, filled)
	if len(missing) == 0 {
		return false, nil
	}
	return true, h.patch(ctx, hub.KindsOf(referenceTo(crp)).Placement, crp.Namespace, crp.Name, "", map[string]any{"spec": missing})
}

// absent is what a tree has more than another one, lists as a whole.
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

// resolve finds out what a placement places, at once when the placement has changed and now and then otherwise.
func (h *Hub) resolve(ctx context.Context, crp wire.ClusterResourcePlacement, spec placement.Spec) *placed {
	h.mu.Lock()
	mind := h.placed[crp.UID]
	if mind == nil {
		mind = &placed{since: map[string]time.Time{}}
		h.placed[crp.UID] = mind
	}
	h.mu.Unlock()
	if mind.generation == crp.Generation && time.Since(mind.at) < notice {
		return mind
	}
	content, err := source.Resolve(ctx, h.set, engine.Placement{Reference: referenceTo(crp), Spec: spec}, source.Options{
		Closed: []envelope.Type{envelope.TypeConfigMap},
	})
	if err != nil {
		h.set.Hub.ResetDiscovery() // a kind may have come since
	}
	mind.generation, mind.at, mind.content, mind.err = crp.Generation, time.Now(), content, err
	return mind
}

// forget removes what the hub keeps of a placement that is being deleted. The bindings outlive it, until their clusters are clean.
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
