package kubefleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/hubenvelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// List lists the objects on the hub, regardless of who created them. A collection with cluster-scoped and namespaced objects corresponds to two kinds on the
// hub. List skips a kind that the hub does not serve. If the hub serves none of the kinds, List returns an [*engine.NotServedError].
func (e *Engine) List(ctx context.Context, collection engine.Collection, filter engine.Filter) (*engine.List, error) {
	ctx = kube.FailFast(ctx)
	if collection == engine.AllEnvelopes {
		found, err := hubenvelope.List(ctx, e.clusters.Hub, filter)
		return &engine.List{Found: found}, err
	}
	kinds, err := listed(collection, filter.Namespace)
	if err != nil {
		return nil, err
	}
	out := &engine.List{}
	var missing error
	served := false
	for _, kind := range kinds {
		found, err := hub.Names(ctx, e.clusters.Hub, kind, filter)
		if _, is := errors.AsType[*engine.NotServedError](err); is {
			missing = cmp.Or(missing, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		out.Found, served = append(out.Found, found...), true
	}
	if !served {
		return nil, missing
	}
	slices.SortFunc(out.Found, engine.Reference.Compare)
	return out, nil
}

// listed returns the kinds of a collection: only the namespaced kinds if namespace is not empty, and all kinds otherwise. It returns an error for
// [engine.AllEnvelopes], and for a collection that the engine does not have.
func listed(collection engine.Collection, namespace string) ([]schema.GroupKind, error) {
	none, some := engine.Reference{}, engine.Reference{Namespace: "any"}
	var clusterScoped, namespaced []schema.GroupKind
	switch collection {
	case engine.AllMembers:
		clusterScoped = []schema.GroupKind{hub.MemberCluster}
	case engine.AllPlacements:
		clusterScoped = []schema.GroupKind{hub.KindsOf(none).Placement}
	case engine.AllNamespacedPlacements:
		namespaced = []schema.GroupKind{hub.KindsOf(some).Placement}
	case engine.AllClusterOverrides:
		clusterScoped = []schema.GroupKind{hub.ClusterOverride}
	case engine.AllOverrides:
		namespaced = []schema.GroupKind{hub.Override}
	case engine.AllUpdateStrategies:
		clusterScoped, namespaced = []schema.GroupKind{hub.StagedKindsOf(none).Strategy}, []schema.GroupKind{hub.StagedKindsOf(some).Strategy}
	case engine.AllUpdateRuns:
		clusterScoped, namespaced = []schema.GroupKind{hub.StagedKindsOf(none).Run}, []schema.GroupKind{hub.StagedKindsOf(some).Run}
	case engine.AllDisruptionBudgets:
		clusterScoped = []schema.GroupKind{hub.DisruptionBudget}
	case engine.AllEnvelopes:
		return nil, errors.New("an envelope is of several kinds")
	default:
		return nil, fmt.Errorf("the engine has no collection of %s", collection)
	}
	if namespace != "" {
		return namespaced, nil
	}
	return append(clusterScoped, namespaced...), nil
}
