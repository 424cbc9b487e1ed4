package kubeadmiral

import (
	"context"
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// keepForTakers keeps the policy of a destroyed placement for the objects in pending, which other placements have not taken over yet. Objects are pending if
// the destroyed placement depends on the placement that takes the objects over: Terraform then destroys before it updates.
func (e *Engine) keepForTakers(ctx context.Context, found *predict.Prediction, pending []engine.PendingHandOver) error {
	before, made := host.MadeBy(found.Fleet.PolicyLive), host.Made{}
	var takers []string
	for _, o := range pending {
		if before.Has(o.Identifier) {
			made[o.Key()] = o.Identifier
		}
		takers = append(takers, o.To)
	}
	slices.Sort(takers)
	return host.KeepForTakers(ctx, e.clusters.Hub, found.Placement.Reference, found.Fleet, made, slices.Compact(takers))
}

// endGivers handles the givers (see [host.Giver]) that no Terraform resource manages any more. If the provider created the policy of a giver and the giver
// has no objects left, endGivers deletes the policy. Otherwise, endGivers removes handed-over objects from the giver's record. These are the last writes of
// an apply. If the apply is killed before them, the next apply makes them.
func (w *writing) endGivers(ctx context.Context) error {
	for _, giver := range w.found.Fleet.Givers {
		switch {
		case w.found.Ends(giver):
			if err := w.endGiver(ctx, giver); err != nil {
				return fmt.Errorf("the policy of the placement %q, which has no objects any more, could not be deleted on the host: %w", giver.Name, err)
			}
		case w.found.Unrecords(giver):
			if err := host.Record(ctx, w.engine.clusters.Hub, giver, w.found.RecordOf(giver)); err != nil {
				return fmt.Errorf("the record of the placement %q still has objects that were handed over: %w", giver.Name, err)
			}
		}
	}
	return nil
}

// endGiver deletes the policy of a giver. If an object that does not belong to this placement has the label of the policy by now, endGiver keeps the policy
// and adds a warning.
func (w *writing) endGiver(ctx context.Context, giver *host.Giver) error {
	hub := w.engine.clusters.Hub
	federated, err := host.OfPolicy(kube.ReadUnshared(ctx), hub, giver.Of)
	if err != nil {
		return err
	}
	var others []manifest.Identifier
	for k, f := range federated {
		if !slices.ContainsFunc(w.found.Objects, func(o *predict.Object) bool { return o.Key() == k }) {
			others = append(others, f.Identifier())
		}
	}
	if len(others) > 0 {
		w.warnings = append(w.warnings, fmt.Sprintf("The policy of the placement %q remains on the host, because other objects have its label now: %s", giver.Name, engine.Some(others)))
		return nil
	}
	return clusterset.Unreachable(hub.Name(), controlplane.Delete(ctx, hub, kube.RefOf(giver.PolicyLive), giver.PolicyLive.GetUID()))
}
