package fakekubefleet

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// writeApplied writes to the status of a Work which objects are applied and which are not.
func (h *Hub) writeApplied(ctx context.Context, w wire.Work, r report) error {
	c := metav1.Condition{Type: placement.Applied, Status: metav1.ConditionTrue, Reason: "AllManifestsApplied"}
	if len(r.failed) > 0 {
		c.Status, c.Reason = metav1.ConditionFalse, "SomeManifestsNotApplied"
	}
	now := metav1.Now()
	status := wire.WorkStatus{Conditions: with(w.Status.Conditions, c, w.Generation, now)}
	for _, applied := range r.applied {
		status.ManifestConditions = append(status.ManifestConditions, manifestCondition(applied, len(status.ManifestConditions),
			metav1.Condition{Type: placement.Applied, Status: metav1.ConditionTrue, Reason: "Applied", LastTransitionTime: now}))
	}
	for _, failed := range r.failed {
		why := fromCondition(failed.Condition)
		why.LastTransitionTime = now
		status.ManifestConditions = append(status.ManifestConditions, manifestCondition(failed.Identifier, len(status.ManifestConditions), why))
	}
	for _, was := range w.Status.Conditions {
		if was.Type == c.Type && was.Status == c.Status && was.ObservedGeneration == w.Generation && sameManifests(w.Status, status) {
			return nil
		}
	}
	content, err := fields(status, "manifestConditions")
	if err != nil {
		return err
	}
	return h.patch(ctx, hub.Work, w.Namespace, w.Name, "status", map[string]any{"status": content})
}

func manifestCondition(id manifest.Identifier, ordinal int, c metav1.Condition) wire.ManifestCondition {
	return wire.ManifestCondition{
		Identifier: wire.WorkResourceIdentifier{
			Ordinal: ordinal, Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name,
		},
		Conditions: []metav1.Condition{c},
	}
}

// sameManifests reports whether two statuses have the same conditions for the same objects.
func sameManifests(a, b wire.WorkStatus) bool {
	return slices.EqualFunc(a.ManifestConditions, b.ManifestConditions, func(a, b wire.ManifestCondition) bool {
		return a.Identifier == b.Identifier && len(a.Conditions) == 1 && a.Conditions[0].Type == b.Conditions[0].Type &&
			a.Conditions[0].Status == b.Conditions[0].Status && a.Conditions[0].Reason == b.Conditions[0].Reason
	})
}

// writeReport writes the problems of an agent's comparisons to a Work, because a placement's status does not report them. writeReport omits the rest of an
// agent's report, because only the hub agent reads it.
func (h *Hub) writeReport(ctx context.Context, w wire.Work, r report) error {
	now := metav1.Now()
	all := metav1.Condition{Type: placement.DiffReported, Status: metav1.ConditionTrue, Reason: "WorkDiffReported"}
	status := wire.WorkStatus{}
	for i, failed := range r.failed {
		all.Status = metav1.ConditionFalse
		c := fromCondition(failed.Condition)
		c.LastTransitionTime = now
		status.ManifestConditions = append(status.ManifestConditions, manifestCondition(failed.Identifier, i, c))
	}
	status.Conditions = with(w.Status.Conditions, all, w.Generation, now)
	content, err := fields(status, "manifestConditions")
	if err != nil {
		return err
	}
	return h.patch(ctx, hub.Work, w.Namespace, w.Name, "status", map[string]any{"status": content})
}
