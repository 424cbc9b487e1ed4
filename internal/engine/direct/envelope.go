package direct

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/hubenvelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

func (e *Engine) requireHub(spec envelope.Spec) error {
	for _, limitation := range e.CheckEnvelope(spec) {
		return &engine.LimitationError{Limitation: limitation}
	}
	return nil
}

// EnvelopeSelectors returns selectors for the envelope's Namespace.
func (*Engine) EnvelopeSelectors(_ context.Context, spec envelope.Spec) (selectors []placement.ResourceSelector, known bool, err error) {
	return engine.Envelope{Spec: spec}.Selectors(), true, nil
}

// ApplyEnvelope writes the envelope as a ConfigMap on the hub. This engine reads the ConfigMap to resolve selectors.
func (e *Engine) ApplyEnvelope(ctx context.Context, spec envelope.Spec, prior *engine.Envelope) (engine.Envelope, error) {
	if err := e.requireHub(spec); err != nil {
		return engine.Envelope{}, err
	}
	return hubenvelope.Apply(ctx, e.clusters.Hub, spec, envelope.TypeConfigMap, prior)
}

// ReadEnvelope reads the envelope from the hub.
func (e *Engine) ReadEnvelope(ctx context.Context, reference engine.Reference, prior *engine.Envelope) (engine.Envelope, error) {
	ctx = kube.FailFast(ctx)
	if err := e.requireHub(envelope.Spec{}); err != nil {
		return engine.Envelope{}, err
	}
	return hubenvelope.Read(ctx, e.clusters.Hub, reference, envelope.TypeConfigMap, prior)
}

// DeleteEnvelope deletes the envelope from the hub.
func (e *Engine) DeleteEnvelope(ctx context.Context, prior engine.Envelope) error {
	if err := e.requireHub(prior.Spec); err != nil {
		return err
	}
	return hubenvelope.Delete(ctx, e.clusters.Hub, prior)
}
