package standin

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// writeApplied writes into a Work that its agent has been at it as it is, and whether everything is applied.
func (h *Hub) writeApplied(ctx context.Context, w wire.Work, r report) error {
	c := metav1.Condition{Type: placement.Applied, Status: metav1.ConditionTrue, Reason: "AllManifestsApplied"}
	if len(r.failed) > 0 {
		c.Status, c.Reason = metav1.ConditionFalse, "SomeManifestsNotApplied"
	}
	for _, was := range w.Status.Conditions {
		if was.Type == c.Type && was.Status == c.Status && was.ObservedGeneration == w.Generation {
			return nil
		}
	}
	content, err := fields(wire.WorkStatus{Conditions: with(w.Status.Conditions, c, w.Generation, metav1.Now())})
	if err != nil {
		return err
	}
	return h.patch(ctx, hub.Work, w.Namespace, w.Name, "status", map[string]any{"status": content})
}

// writeReport writes into a Work what its agent could not compare: a placement's status does not tell. Whatever else agents write of objects
// nobody reads but the hub agent.
func (h *Hub) writeReport(ctx context.Context, w wire.Work, r report) error {
	now := metav1.Now()
	all := metav1.Condition{Type: placement.DiffReported, Status: metav1.ConditionTrue, Reason: "WorkDiffReported"}
	status := wire.WorkStatus{}
	for i, failed := range r.failed {
		all.Status = metav1.ConditionFalse
		c := fromCondition(failed.Condition)
		c.LastTransitionTime = now
		status.ManifestConditions = append(status.ManifestConditions, wire.ManifestCondition{
			Identifier: wire.WorkResourceIdentifier{
				Ordinal: i, Group: failed.Group, Version: failed.Version, Kind: failed.Kind, Namespace: failed.Namespace, Name: failed.Name,
			},
			Conditions: []metav1.Condition{c},
		})
	}
	status.Conditions = with(w.Status.Conditions, all, w.Generation, now)
	content, err := fields(status, "manifestConditions")
	if err != nil {
		return err
	}
	return h.patch(ctx, hub.Work, w.Namespace, w.Name, "status", map[string]any{"status": content})
}
