package direct

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/hubenvelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// withHub is an error without a hub.
func (e *Engine) withHub(spec envelope.Spec) error {
	for _, limitation := range e.CheckEnvelope(spec) {
		return &engine.LimitationError{Limitation: limitation}
	}
	return nil
}

// EnvelopeSelectors are always the envelope's Namespace.
func (*Engine) EnvelopeSelectors(_ context.Context, spec envelope.Spec) (selectors []placement.ResourceSelector, known bool, err error) {
	return engine.Envelope{Spec: spec}.Selectors(), true, nil
}

// ApplyEnvelope writes the envelope as a ConfigMap on the hub, from where this engine's own selectors read it.
func (e *Engine) ApplyEnvelope(ctx context.Context, spec envelope.Spec, prior *engine.Envelope) (engine.Envelope, error) {
	if err := e.withHub(spec); err != nil {
		return engine.Envelope{}, err
	}
	return hubenvelope.Apply(ctx, e.clusters.Hub, spec, envelope.TypeConfigMap, prior)
}

// ReadEnvelope reads it.
func (e *Engine) ReadEnvelope(ctx context.Context, reference engine.Reference, prior *engine.Envelope) (engine.Envelope, error) {
	ctx = kube.Look(ctx)
	if err := e.withHub(envelope.Spec{}); err != nil {
		return engine.Envelope{}, err
	}
	return hubenvelope.Read(ctx, e.clusters.Hub, reference, envelope.TypeConfigMap, prior)
}

// DeleteEnvelope deletes it.
func (e *Engine) DeleteEnvelope(ctx context.Context, prior engine.Envelope) error {
	if err := e.withHub(prior.Spec); err != nil {
		return err
	}
	return hubenvelope.Delete(ctx, e.clusters.Hub, prior)
}
