package kubefleet

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// adopt writes the labels, annotations and taints of a member that another system has made, and owns nothing else of it.
func (e *Engine) adopt(ctx context.Context, want engine.Member, live *unstructured.Unstructured) (engine.Member, error) {
	if live == nil {
		return engine.Member{}, &engine.LimitationError{Limitation: engine.Limitation{Path: placement.At("adopt_existing"), Message: fmt.Sprintf(
			"The hub has no MemberCluster %q, and adopt_existing leaves it to another system to make one. If the same configuration has it made, as by azapi, let "+
				"this resource depend on that one and apply again once the member is there; otherwise leave adopt_existing out.", want.Spec.Name)}}
	}
	object, err := convert.AdoptedMember(want.Spec, live, e.clusters.Hub.FieldManager(""))
	if err != nil {
		return engine.Member{}, err
	}
	stored, err := hub.Amend(ctx, e.clusters.Hub, object, live)
	if err != nil {
		return engine.Member{}, err
	}
	return writtenMember(want, stored)
}

// release takes away what was written of a member that another system has made. The member itself stays.
func (e *Engine) release(ctx context.Context, name string, live *unstructured.Unstructured) error {
	if live == nil {
		return nil
	}
	object, err := convert.AdoptedMember(member.Spec{Name: name}, live, e.clusters.Hub.FieldManager(""))
	if err != nil {
		return err
	}
	_, err = hub.Amend(ctx, e.clusters.Hub, object, live)
	return err
}
