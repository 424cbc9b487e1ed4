package direct

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// compareInto finds out how a live object differs from what is to be placed, in the way the strategy asks for.
//
// As KubeFleet does, a partial comparison is made with a forced server-side dry run, whatever the strategy writes with. It is left out
// where the local comparison finds nothing beyond doubt and no admission rule could have another opinion, and where the credentials may not
// write.
func (c *clusterPlan) compareInto(ctx context.Context, i *item, input *takeover.Input) error {
	input.Compared = true
	if input.Strategy.ComparisonOption == placement.FullComparison {
		input.Differences = diff.Full(i.desired, i.live).Differences
		i.ObservedDiffs = diff.Patches(i.desired, i.live)
		return nil
	}
	if i.Owned {
		i.local, i.doubtful = diff.XPARTIAL(i.desired, i.live)
	}
	input.Differences = i.local
	if !c.may(i) {
		return nil
	}
	if len(i.local) == 0 && !i.doubtful {
		if doubt, err := c.admissionDoubts(ctx, i, admissionUpdate); err != nil || !doubt {
			return err
		}
	}
	result, _, err := c.cluster.ApplyServerSide(ctx, i.desired, i.live, kube.ApplyOptions{Force: true, DryRun: true})
	switch {
	case err == nil:
		i.doubtful = false
		input.Differences = diff.Full(result, i.live).Differences
		i.ObservedDiffs = diff.Patches(result, i.live)
	case missesPermission(err):
		// The answer to what the credentials may do was too good; the local comparison has to do.
	case apierrors.IsInvalid(err):
		input.Degraded = true
		input.Differences = diff.Full(i.desired, i.live).Differences
		i.ObservedDiffs = diff.Patches(i.desired, i.live)
	case silent(err):
		return reached(c.name, err)
	default:
		input.CompareErr = err
		input.Differences = nil
	}
	return nil
}

// refine asks the API server how a refused object differs, where the decision needed no comparison: KubeFleet makes none under Never,
// but who reads the plan wants to know what stands in the way.
func (c *clusterPlan) refine(ctx context.Context, i *item, input takeover.Input) error {
	if input.Compared {
		return nil
	}
	i.Differences = i.local
	if i.live == nil || i.Owned || len(i.local) == 0 && !i.doubtful {
		return nil
	}
	err := c.compareInto(ctx, i, &input)
	i.ObservedDiffs = nil // KubeFleet reports none
	if err == nil && input.CompareErr == nil && !input.Degraded {
		i.Differences = input.Differences
	}
	return err
}

// missesPermission tells a refusal by RBAC from one by an admission rule, which are both "Forbidden".
func missesPermission(err error) bool {
	return kube.IsForbidden(err) && strings.Contains(err.Error(), " cannot ") && strings.Contains(err.Error(), " resource ")
}
