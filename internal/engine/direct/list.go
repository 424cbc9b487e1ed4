package direct

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/hubenvelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// List lists the resources recorded on the members, and the envelopes on the hub.
func (e *Engine) List(ctx context.Context, of engine.Collection, filter engine.Filter) (*engine.List, error) {
	ctx = kube.FailFast(ctx)
	switch of {
	case engine.AllMembers:
		return e.listMembers(ctx, filter)
	case engine.AllPlacements:
		return e.listRecords(ctx, record.PlacementKind, filter, placementOf)
	case engine.AllClusterOverrides:
		return e.listRecords(ctx, record.OverrideKind, filter, overrideOf(false))
	case engine.AllOverrides:
		return e.listRecords(ctx, record.OverrideKind, filter, overrideOf(true))
	case engine.AllEnvelopes:
		if err := e.requireHub(envelope.Spec{}); err != nil {
			return nil, err
		}
		found, err := hubenvelope.List(ctx, e.clusters.Hub, filter)
		return &engine.List{Found: found}, err
	case engine.AllNamespacedPlacements:
		return nil, &engine.LimitationError{Limitation: namespaceLimitation()}
	case engine.AllUpdateStrategies, engine.AllUpdateRuns, engine.AllDisruptionBudgets:
		return nil, &engine.LimitationError{Limitation: noHub.Limitation}
	default:
		return nil, fmt.Errorf("the engine has no collection of %s", of)
	}
}

func (e *Engine) listMembers(ctx context.Context, filter engine.Filter) (*engine.List, error) {
	selector, err := labels.Parse(filter.LabelSelector)
	if err != nil {
		return nil, err
	}
	members, err := e.ListMembers(ctx)
	if err != nil {
		return nil, err
	}
	out := &engine.List{}
	for _, m := range members {
		switch {
		case m.Err != nil:
			out.Missed = append(out.Missed, engine.MissedCluster{Cluster: m.Spec.Name, Err: m.Err})
		case m.Joined && selector.Matches(labels.Set(m.Spec.Labels)):
			out.Found = append(out.Found, engine.Reference{Name: m.Spec.Name})
		}
	}
	return out, nil
}

// listRecords lists the resources with a record on at least one member. decode returns the resource of a record, and reports whether the resource belongs in
// the list.
func (e *Engine) listRecords(
	ctx context.Context, kind string, filter engine.Filter, decode func(*unstructured.Unstructured) (reference engine.Reference, is bool, err error),
) (*engine.List, error) {
	if filter.LabelSelector != "" {
		return nil, &engine.LimitationError{Limitation: engine.Limitation{
			Path: placement.At("label_selector"), Message: "The direct engine does not store labels of placements and overrides. Omit it.",
		}}
	}
	var mu sync.Mutex
	out := &engine.List{}
	err := e.clusters.Each(ctx, e.clusters.Names(), func(ctx context.Context, name string) error {
		cluster, err := e.clusters.Member(name)
		if err != nil {
			return err
		}
		records, err := cluster.List(ctx, record.ConfigMapKind, record.Namespace, record.KindLabel+"="+kind)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			out.Missed = append(out.Missed, engine.MissedCluster{Cluster: name, Err: clusterset.Unreachable(name, err)})
			return nil
		}
		for _, u := range records {
			reference, is, err := decode(u)
			if err != nil {
				out.Missed = append(out.Missed, engine.MissedCluster{Cluster: name, Err: err})
			}
			if is && (filter.Namespace == "" || filter.Namespace == reference.Namespace) {
				out.Found = append(out.Found, reference)
			}
		}
		return nil
	})
	slices.SortFunc(out.Found, engine.Reference.Compare)
	out.Found = slices.Compact(out.Found)
	slices.SortStableFunc(out.Missed, func(a, b engine.MissedCluster) int { return strings.Compare(a.Cluster, b.Cluster) })
	return out, err
}

func placementOf(u *unstructured.Unstructured) (reference engine.Reference, is bool, err error) {
	name, is := strings.CutPrefix(u.GetName(), record.InventoryPrefix)
	return engine.Reference{Name: name}, is, nil
}

func overrideOf(namespaced bool) func(*unstructured.Unstructured) (reference engine.Reference, is bool, err error) {
	return func(u *unstructured.Unstructured) (engine.Reference, bool, error) {
		known, err := record.DecodeOverride(u)
		if err != nil {
			return engine.Reference{}, false, err
		}
		return engine.Reference{Namespace: known.Namespace, Name: known.Name}, namespaced == (known.Namespaced != nil), nil
	}
}
