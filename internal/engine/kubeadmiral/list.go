package kubeadmiral

import (
	"context"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// List lists the members or the policies on the host, regardless of who created them. For a collection that a host does not support, it returns an
// [*engine.LimitationError].
func (e *Engine) List(ctx context.Context, of engine.Collection, filter engine.Filter) (*engine.List, error) {
	var kind string
	switch of {
	case engine.AllMembers:
		kind = v1alpha1.FederatedClusterKind
	case engine.AllPlacements:
		kind = v1alpha1.ClusterPropagationPolicyKind
	case engine.AllNamespacedPlacements:
		kind = v1alpha1.PropagationPolicyKind
	case engine.AllEnvelopes:
		return nil, &engine.LimitationError{Limitation: noEnvelopes}
	case engine.AllClusterOverrides, engine.AllOverrides:
		return nil, &engine.LimitationError{Limitation: noOverrides}
	case engine.AllUpdateStrategies, engine.AllUpdateRuns, engine.AllDisruptionBudgets:
		return nil, &engine.LimitationError{Limitation: noHub.Limitation}
	default:
		return nil, fmt.Errorf("the engine has no collection of %s", of)
	}
	found, err := host.Names(kube.FailFast(ctx), e.clusters.Hub, kind, filter)
	if err != nil {
		return nil, err
	}
	return &engine.List{Found: found}, nil
}
