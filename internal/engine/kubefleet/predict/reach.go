package predict

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// canReach reports whether the selectors of a placement may select objects that a change of envelopes or overrides affects. It sends no requests, whereas
// resolving the selectors takes a request for each kind of object in a namespace. changed are the overrides before and after the change.
func canReach(p engine.Placement, change engine.World, changed override.Overrides) bool {
	for reference := range change.Envelopes {
		if opens(p, reference.Namespace) || selects(p, func(s placement.ResourceSelector) bool { return envelope.IsEnvelopeKind(kindOf(s)) }) {
			return true
		}
	}
	changed = changed.For(p.Reference.String())
	if slices.ContainsFunc(changed.Namespaced, func(o override.ResourceOverride) bool { return opens(p, o.Namespace) }) {
		return true
	}
	return slices.ContainsFunc(changed.Cluster, func(o override.ClusterResourceOverride) bool {
		return slices.ContainsFunc(o.Spec.ClusterResourceSelectors, func(r placement.ResourceSelector) bool {
			if kindOf(r) == namespaceKind && opens(p, r.Name) {
				return true
			}
			return selects(p, func(s placement.ResourceSelector) bool { // an envelope can contain objects of any kind
				return kindOf(s) == kindOf(r) && (s.Name == "" || s.Name == r.Name) || envelope.IsEnvelopeKind(kindOf(s))
			})
		})
	})
}

// MayReach reports whether a change that is not completely known may affect a placement. It returns true if overrides, members or objects with unknown names
// change. If only envelopes with known names change, it checks whether the placement can select envelopes, or objects in the namespaces of these envelopes.
func MayReach(p engine.Placement, change engine.World) bool {
	return len(change.Unnamed)+len(change.Overrides)+len(change.Members) > 0 || canReach(p, change, override.Overrides{})
}

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

func kindOf(s placement.ResourceSelector) schema.GroupKind {
	return schema.GroupKind{Group: s.Group, Kind: s.Kind}
}

// opens reports whether a placement can select objects in a namespace.
func opens(p engine.Placement, namespace string) bool {
	if p.Namespace != "" {
		return p.Namespace == namespace
	}
	return selects(p, func(s placement.ResourceSelector) bool {
		return kindOf(s) == namespaceKind && (s.Name == "" || s.Name == namespace)
	})
}

// selects reports whether p is cluster-scoped and has a selector for which property returns true.
func selects(p engine.Placement, property func(placement.ResourceSelector) bool) bool {
	return p.Namespace == "" && slices.ContainsFunc(p.Spec.Defaulted().ResourceSelectors, property)
}

// moves reports whether a change of members makes the scheduler pick other clusters for a placement.
func moves(ctx context.Context, clusters *clusterset.Set, p engine.Placement, change engine.World) (bool, error) {
	fleet, err := hub.ReadFleet(ctx, clusters.Hub, p.Reference, hub.ReadAll)
	if err != nil {
		return false, err
	}
	now := time.Now()
	before, err := schedule.Schedule(input(p, fleet, engine.World{}, now))
	if err != nil {
		return false, err
	}
	after, err := schedule.Schedule(input(p, fleet, change, now))
	return !slices.Equal(placedBy(before), placedBy(after)), err
}

func placedBy(outcome schedule.Outcome) []string {
	var out []string
	for _, b := range outcome.Bindings {
		if b.State != schedule.Unscheduled && !b.Deleting {
			out = append(out, b.Cluster)
		}
	}
	slices.Sort(out)
	return out
}
