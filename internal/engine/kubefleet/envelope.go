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

// EnvelopeSelectors returns selectors for the Namespace and for the cluster-scoped objects that contain the envelope. known is false if the hub does not serve
// all kinds in the envelope yet. If the hub is unreachable, EnvelopeSelectors returns an error together with the selectors that follow from the wire format. In
// that case, known is false if the wire format is automatic.
func (e *Engine) EnvelopeSelectors(ctx context.Context, spec envelope.Spec) (selectors []placement.ResourceSelector, known bool, err error) {
	predicted, err := hubenvelope.Predict(kube.ShareReads(ctx), e.clusters.Hub, spec)
	known = err == nil
	if errors.Is(err, hubenvelope.ErrUnknownKind) {
		err = nil
	}
	if _, unreachable := errors.AsType[*engine.UnreachableError](err); unreachable {
		predicted, known = hubenvelope.InFormat(spec)
	}
	return predicted.Selectors(), known, err
}

// ApplyEnvelope writes the objects that contain the envelope, of the kinds that the hub extracts.
func (e *Engine) ApplyEnvelope(ctx context.Context, spec envelope.Spec, prior *engine.Envelope) (engine.Envelope, error) {
	return hubenvelope.ApplyAll(ctx, e.clusters.Hub, spec, prior)
}

// ReadEnvelope reads an envelope from all objects that can contain it.
func (e *Engine) ReadEnvelope(ctx context.Context, reference engine.Reference, prior *engine.Envelope) (engine.Envelope, error) {
	return hubenvelope.ReadAll(kube.FailFast(ctx), e.clusters.Hub, reference, prior)
}

// DeleteEnvelope deletes the objects of an envelope.
func (e *Engine) DeleteEnvelope(ctx context.Context, prior engine.Envelope) error {
	return hubenvelope.Delete(ctx, e.clusters.Hub, prior)
}
