package kubefleet

import (
	"context"
	"errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/hubenvelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// EnvelopeSelectors returns selectors for the Namespace and for the cluster-scoped objects that store the envelope, once the hub is known to serve all kinds.
// If the hub is unreachable, the format of the envelope decides.
func (e *Engine) EnvelopeSelectors(ctx context.Context, spec envelope.Spec) (selectors []placement.ResourceSelector, known bool, err error) {
	kept, err := hubenvelope.Predict(kube.ShareReads(ctx), e.clusters.Hub, spec)
	known = err == nil
	if errors.Is(err, hubenvelope.ErrUnknownKind) {
		err = nil
	}
	if _, unreachable := errors.AsType[*engine.UnreachableError](err); unreachable {
		kept, known = hubenvelope.InFormat(spec)
	}
	return kept.Selectors(), known, err
}

// ApplyEnvelope writes the envelope in the objects that the hub opens.
func (e *Engine) ApplyEnvelope(ctx context.Context, spec envelope.Spec, prior *engine.Envelope) (engine.Envelope, error) {
	return hubenvelope.ApplyAll(ctx, e.clusters.Hub, spec, prior)
}

// ReadEnvelope reads an envelope from all objects that can store it.
func (e *Engine) ReadEnvelope(ctx context.Context, reference engine.Reference, prior *engine.Envelope) (engine.Envelope, error) {
	return hubenvelope.ReadAll(kube.FailFast(ctx), e.clusters.Hub, reference, prior)
}

// DeleteEnvelope deletes the objects of an envelope.
func (e *Engine) DeleteEnvelope(ctx context.Context, prior engine.Envelope) error {
	return hubenvelope.Delete(ctx, e.clusters.Hub, prior)
}
