package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Envelopes stores objects on the hub without letting them take effect there.
type Envelopes interface {
	// CheckEnvelope returns the settings of an envelope that the engine does not support. An engine without envelopes returns a limitation for each envelope.
	CheckEnvelope(spec envelope.Spec) []Limitation
	// EnvelopeSelectors returns the selectors that include the envelope in a placement; known is false if they are known only after the envelope is written. It
	// returns a [NotServedError] for a kind that the hub does not serve, and a [LimitationError] for content that the envelope's format does not support. Any
	// other error means that the hub could not be checked. The selectors are known despite such an error if the envelope's format determines them.
	EnvelopeSelectors(ctx context.Context, spec envelope.Spec) (selectors []placement.ResourceSelector, known bool, err error)
	// ApplyEnvelope writes the envelope. If prior is nil, the envelope must not exist yet.
	ApplyEnvelope(ctx context.Context, spec envelope.Spec, prior *Envelope) (Envelope, error)
	// ReadEnvelope returns the live envelope, or [ErrNotFound].
	ReadEnvelope(ctx context.Context, reference Reference, prior *Envelope) (Envelope, error)
	// DeleteEnvelope deletes the objects of the envelope. It returns nil if they do not exist.
	DeleteEnvelope(ctx context.Context, prior Envelope) error
}

// Envelope is a stored envelope.
type Envelope struct {
	Spec envelope.Spec
	// Objects are the objects of the envelope on the hub: one, or several if a hub stores cluster-scoped content separately.
	Objects []KeptObject
}

// Selectors returns the selectors that include the envelope in a placement: one for the Namespace of the envelope, and one for each cluster-scoped object.
func (e Envelope) Selectors() []placement.ResourceSelector {
	out := []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: e.Spec.Namespace}}
	for _, o := range e.Objects {
		if o.Namespace == "" {
			out = append(out, placement.ResourceSelector{Group: o.Group, Version: o.Version, Kind: o.Kind, Name: o.Name})
		}
	}
	return out
}

// KeptObject is an object that an engine stores on a hub.
type KeptObject struct {
	manifest.Identifier
	// UID is the UID of the object at the last read or write; "" if unknown.
	UID string
}
