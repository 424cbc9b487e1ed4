package kubefleet

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// adopt writes only the labels, annotations and taints of a member that another system has created. It returns an [*engine.LimitationError] if the member does
// not exist.
func (e *Engine) adopt(ctx context.Context, want engine.Member, prior *engine.Member, live *unstructured.Unstructured) (engine.Member, error) {
	if live == nil {
		return engine.Member{}, &engine.LimitationError{Limitation: engine.Limitation{Path: placement.At("adopt_existing"), Message: fmt.Sprintf(
			"The hub has no MemberCluster %q. With adopt_existing, another system must create it. If the same configuration creates it, for example with azapi, "+
				"add that resource to depends_on, and apply again when the member exists. Otherwise, remove adopt_existing.", want.Spec.Name)}}
	}
	var before []member.Taint
	if prior != nil {
		before = prior.Spec.Taints
	}
	stored, err := e.amendMember(ctx, want.Spec, before, live)
	if err != nil {
		return engine.Member{}, err
	}
	return writtenMember(want, stored)
}

// release removes the configured labels, annotations and taints from a member that another system has created. A missing member is not an error.
func (e *Engine) release(ctx context.Context, prior member.Spec, live *unstructured.Unstructured) error {
	if live == nil {
		return nil
	}
	_, err := e.amendMember(ctx, member.Spec{Name: prior.Name}, prior.Taints, live)
	if errors.Is(err, engine.ErrNotFound) {
		return nil
	}
	return err
}

// amendMember writes the labels, annotations and taints in want. before are the previously configured taints. After a conflict, it reads the member again and
// retries.
func (e *Engine) amendMember(
	ctx context.Context, want member.Spec, before []member.Taint, live *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	return controlplane.RepeatConflicts(func(attempt int) (_ *unstructured.Unstructured, err error) {
		if attempt > 1 {
			if live, err = e.findKnown(kube.ReadUnshared(ctx), hub.MemberCluster, engine.Reference{Name: want.Name}, ""); err != nil {
				return nil, err
			}
		}
		object, err := convert.AdoptedMember(want, before, live, e.clusters.Hub.FieldManager(""))
		if err != nil {
			return nil, err
		}
		return hub.Amend(ctx, e.clusters.Hub, object, live)
	})
}
