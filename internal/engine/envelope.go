package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Envelopes keeps objects on the hub without letting them take effect there.
type Envelopes interface {
	// CheckEnvelope tells what of an envelope the engine cannot express, such as that it has no place for any.
	CheckEnvelope(spec envelope.Spec) []Limitation
	// EnvelopeSelectors are what brings the envelope into a placement; known is false where that shows only when the envelope is written. What the
	// hub does not serve is a [NotServedError], what the envelope's format cannot carry a [LimitationError]. With any other error the hub could not
	// be asked. The selectors are known nevertheless if they follow from the envelope's format.
	EnvelopeSelectors(ctx context.Context, spec envelope.Spec) (selectors []placement.ResourceSelector, known bool, err error)
	// ApplyEnvelope writes the envelope. A new one must not exist yet.
	ApplyEnvelope(ctx context.Context, spec envelope.Spec, prior *Envelope) (Envelope, error)
	// ReadEnvelope returns the envelope as it is, or [ErrNotFound].
	ReadEnvelope(ctx context.Context, reference Reference, prior *Envelope) (Envelope, error)
	// DeleteEnvelope removes the objects that the envelope was kept in. One that is gone is no error.
	DeleteEnvelope(ctx context.Context, prior Envelope) error
}

// Envelope is an envelope as it is kept.
type Envelope struct {
	Spec envelope.Spec
	// Objects are what it is kept in on the hub: one object, or several where a hub keeps cluster-scoped content apart.
	Objects []KeptObject
}

// Selectors are what brings the envelope into a placement, by the objects that it is kept in: its Namespace, and what is in none.
func (e Envelope) Selectors() []placement.ResourceSelector {
	out := []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: e.Spec.Namespace}}
	for _, o := range e.Objects {
		if o.Namespace == "" {
			out = append(out, placement.ResourceSelector{Group: o.Group, Version: o.Version, Kind: o.Kind, Name: o.Name})
		}
	}
	return out
}

// KeptObject is an object that an engine keeps on a hub.
type KeptObject struct {
	manifest.Identifier
	// UID is that of the object as it was read or written last; "" if it is not known.
	UID string
}
