package kubeadmiral

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// adoptMember writes the configured labels, annotations and taints of a member that another system has registered.
func (e *Engine) adoptMember(
	ctx context.Context, want engine.Member, prior *engine.Member, live *unstructured.Unstructured,
) (engine.Member, error) {
	missing := fmt.Errorf("the host cluster has no FederatedCluster %q to adopt: with adopt_existing, another system must register the member first",
		want.Spec.Name)
	if live == nil {
		return engine.Member{}, missing
	}
	var before []member.Taint
	if prior != nil {
		before = prior.Spec.Taints
	}
	out, err := e.amendMember(ctx, want, before, live)
	if errors.Is(err, engine.ErrNotFound) { // the member was deleted in the meantime
		err = missing
	}
	out.Spec = want.Spec
	return out, err
}

// amendMember writes the labels, annotations and taints in want. before are the previously configured taints. After a conflict, amendMember reads the member
// again and repeats the write. It returns [engine.ErrNotFound] if the member was deleted in the meantime.
func (e *Engine) amendMember(
	ctx context.Context, want engine.Member, before []member.Taint, live *unstructured.Unstructured,
) (engine.Member, error) {
	return controlplane.RepeatConflicts(func(attempt int) (_ engine.Member, err error) {
		if attempt > 1 {
			_, live, err = host.Get[v1alpha1.FederatedCluster](kube.ReadUnshared(ctx), e.clusters.Hub, v1alpha1.FederatedClusterKind, "", want.Spec.Name)
			if err == nil && live == nil {
				err = engine.ErrNotFound
			}
			if err != nil {
				return engine.Member{}, err
			}
		}
		return e.mergeMember(ctx, want, before, live)
	})
}

// mergeMember is one attempt of amendMember. A field manager owns the list of taints as a whole. If taints are or were configured, or if the provider owns
// the list, mergeMember therefore also writes the taints of other systems.
func (e *Engine) mergeMember(
	ctx context.Context, want engine.Member, before []member.Taint, live *unstructured.Unstructured,
) (engine.Member, error) {
	reach, err := e.reachToKeep(live)
	if err != nil {
		return engine.Member{}, err
	}
	if len(want.Spec.Taints)+len(before) > 0 || convert.OwnsTaints(live, e.clusters.Hub.FieldManager("")) {
		stored, err := codec.Decode[v1alpha1.FederatedCluster](live)
		if err != nil {
			return engine.Member{}, err
		}
		want.Spec.Taints = member.MergeTaints(convert.TaintsOf(*stored), before, want.Spec.Taints)
	}
	return e.putMember(ctx, want, reach, live, host.Amend)
}

// releaseMember removes the configured labels, annotations and taints from a member that another system has registered. The member and its Secret remain, even
// if the provider created the Secret.
func (e *Engine) releaseMember(ctx context.Context, prior engine.Member, live *unstructured.Unstructured) error {
	if live == nil {
		return nil
	}
	_, err := e.amendMember(ctx, engine.Member{Spec: member.Spec{Name: prior.Spec.Name}}, prior.Spec.Taints, live)
	if errors.Is(err, engine.ErrNotFound) {
		return nil
	}
	return err
}

// reachToKeep returns the connection settings of a member that the provider itself registered earlier, because an apply without these fields would remove
// them. It returns nil for a member that another system has registered.
func (e *Engine) reachToKeep(live *unstructured.Unstructured) (*convert.Reach, error) {
	if !convert.RegisteredBy(live, e.clusters.Hub.FieldManager("")) {
		return nil, nil
	}
	known, err := codec.Decode[v1alpha1.FederatedCluster](live)
	if err != nil {
		return nil, err
	}
	return new(convert.ReachOf(*known)), nil
}
