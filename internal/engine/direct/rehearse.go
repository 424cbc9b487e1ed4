package direct

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// rehearse makes a write as a dry run, for a preview: only the API server knows its defaults, what its admission rules change, and
// whether it will accept the object at all. An object that it would refuse is told as refused with the reason that the apply will report;
// the apply tries it nevertheless.
func (c *clusterPlan) rehearse(ctx context.Context, p *plan, i *item) error {
	if p.purpose != previewing || !c.may(i) || c.comesWithNamespace(i) {
		return nil
	}
	if i.live != nil && len(i.Differences) == 0 && !i.doubtful {
		if doubt, err := c.admissionDoubts(ctx, i, admissionUpdate); err != nil || !doubt {
			i.detectDrift(p, i.live)
			return err
		}
	}
	result, err := c.write(ctx, i, p.strategy(), true)
	return c.foresee(p, i, result, err)
}

// foresee takes from what came of a dry run what will come of the write.
func (c *clusterPlan) foresee(p *plan, i *item, result *unstructured.Unstructured, err error) error {
	switch {
	case err == nil && i.live != nil:
		i.Differences = diff.Full(result, i.live).Differences
		i.detectDrift(p, result)
	case err == nil || missesPermission(err) || outdated(err) || kube.IsAlreadyExists(err):
		// It has changed since it was read; the apply looks again.
	case silent(err):
		return reached(c.name, err)
	default:
		i.refuse(reasonManifestApplyFailed, err.Error())
	}
	return nil
}

// comesWithNamespace tells whether the object's namespace is to be created by the same placement: nothing can be tried in it before. About
// namespaces is decided first.
func (c *clusterPlan) comesWithNamespace(i *item) bool {
	if i.live != nil || i.Namespace == "" {
		return false
	}
	for _, other := range c.items {
		if other.isNamespace() && other.Name == i.Namespace {
			return other.Action == engine.ActionCreate
		}
	}
	return false
}

// decideUpdate tells whether an object of ours has to be written. While both hashes of the inventory hold, nothing has to be asked.
func (c *clusterPlan) decideUpdate(ctx context.Context, p *plan, i *item) error {
	i.Action = engine.ActionNone
	if i.unchanged() && driftsMatter(p.strategy()) {
		drifted, err := c.decideDrift(ctx, p, i)
		if err != nil || drifted || i.marked() {
			return err
		}
	}
	unchanged := i.unchanged() && i.marked()
	if unchanged && i.entry.LiveHash == liveHash(i.live) {
		return nil
	}
	i.Differences, i.doubtful = diff.XPARTIAL(i.desired, i.live)
	if !unchanged {
		i.Action = engine.ActionUpdate
		i.doubtful = i.doubtful || i.entry.Hash != i.hash // what is no longer placed is removed, and is no difference to a local comparison
		return c.rehearse(ctx, p, i)
	}
	switch {
	case len(i.Differences) == 0 && (!i.doubtful || !c.may(i)):
		return nil
	case !c.may(i):
		i.Action = engine.ActionUpdate
		return nil
	}
	// The local comparison knows no defaults and no admission: ask the server what the write would change.
	result, err := c.write(ctx, i, p.strategy(), true)
	switch {
	case silent(err):
		return reached(c.name, err)
	case err == nil && liveHash(result) == liveHash(i.live):
		i.Differences = nil
		return nil
	}
	i.Action = engine.ActionUpdate
	if p.purpose != previewing {
		return nil
	}
	return c.foresee(p, i, result, err)
}
