package kubeadmiral

import (
	"context"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// limitations returns the arguments that a host rejects or ignores. The preview reports the lossy ones.
func limitations(found []convert.Found) []engine.Limitation {
	var out []engine.Limitation
	for _, f := range found {
		switch f.Fidelity {
		case convert.Impossible, convert.Ignored:
			out = append(out, engine.Limitation{Path: f.Path, Message: f.Note, Ignored: f.Fidelity == convert.Ignored})
		case convert.Exact, convert.Lossy:
		}
	}
	return out
}

// CheckChange returns the same problems as the engine for KubeFleet hubs, so that a configuration that works with this engine also works with a hub.
func (*Engine) CheckChange(before, after placement.Spec) []placement.Problem {
	return placement.ValidateChange(before, after)
}

// CanRename reports false: the name of a placement is the name of its policy on the host.
func (*Engine) CanRename() bool { return false }

// CheckPlacement returns the arguments of a placement that a host cannot express. It also returns a limitation if the placement has neither selectors nor
// manifests.
func (*Engine) CheckPlacement(p engine.Placement) []engine.Limitation {
	out := limitations(convert.OfPlacement(convert.Placed{Namespace: p.Namespace, Name: p.Name, Spec: p.Spec}))
	if len(p.Spec.ResourceSelectors) == 0 && len(p.AllManifests()) == 0 {
		out = append(out, engine.Limitation{Path: placement.At("resource_selectors"), Message: "There is nothing to place: select objects on the host cluster, " +
			"or add manifests."})
	}
	return append(out, engine.RefuseIgnoreFields(p, "A KubeAdmiral host cluster writes whole objects. It keeps spec.replicas of a Deployment on the members if the Deployment has the annotation "+
		"kubeadmiral.io/retain-replicas: \"true\". For other fields, use engine = \"direct\".")...)
}

// CheckMember returns the arguments of a registration that a host cannot express. It also returns a limitation if the provider has no connection to the
// member, because the host gets the address and the credentials of the member from this connection. A member that another system registers needs no
// connection.
func (e *Engine) CheckMember(spec member.Spec) []engine.Limitation {
	out := limitations(convert.OfMember(spec))
	if _, err := e.clusters.Member(spec.Name); err != nil && spec.Name != "" && !spec.Adopts() {
		unconnected := engine.Unconnected(placement.At("name"), spec.Name,
			err.Error()+". Add a connection to this member there: the host cluster gets its credentials from it.")
		unconnected.Removable = true
		out = append(out, unconnected)
	}
	return out
}

// ServesMember returns nil: a host supports every member.
func (*Engine) ServesMember(context.Context, member.Spec) error { return nil }

// Agent returns nil: a host connects to its members, which have no agent.
func (*Engine) Agent(member.Spec) *engine.Agent { return nil }

// AgentAccess returns an error: there are no agents.
func (*Engine) AgentAccess(context.Context, string, time.Duration) (*engine.AgentAccess, error) {
	return nil, refuse(placement.At("name"), "KubeAdmiral has no agents on members: the host cluster connects to them.")
}

func refuse(at placement.Path, message string) error {
	return &engine.LimitationError{Limitation: engine.Limitation{Path: at, Message: message}}
}

var (
	noEnvelopes = engine.Limitation{Path: placement.At("name"), Message: noteOf("fleet_envelope_configmap")}
	noOverrides = engine.Limitation{Path: placement.At("name"), Message: noteOf("fleet_cluster_resource_override, fleet_resource_override")}
	// noHub rejects staged updates, disruption budgets and evictions.
	noHub = engine.NoHub{Limitation: engine.Limitation{Path: placement.At("name"), Message: noteOf("fleet_staged_update_strategy, fleet_staged_update_run") + " " +
		noteOf("fleet_disruption_budget, evictions")}}
)

// noteOf returns the note of the mapping for a resource as a whole, or "" if there is none.
func noteOf(resource string) string {
	for _, m := range convert.Mappings() {
		if m.Resource == resource && m.Argument == "" {
			return m.Note
		}
	}
	return ""
}

// CheckEnvelope returns a limitation: a host does not support envelopes.
func (*Engine) CheckEnvelope(envelope.Spec) []engine.Limitation {
	return []engine.Limitation{noEnvelopes}
}

// EnvelopeSelectors returns the limitation as an error.
func (*Engine) EnvelopeSelectors(context.Context, envelope.Spec) (selectors []placement.ResourceSelector, known bool, err error) {
	return nil, false, &engine.LimitationError{Limitation: noEnvelopes}
}

// ApplyEnvelope returns the limitation as an error.
func (*Engine) ApplyEnvelope(context.Context, envelope.Spec, *engine.Envelope) (engine.Envelope, error) {
	return engine.Envelope{}, &engine.LimitationError{Limitation: noEnvelopes}
}

// ReadEnvelope returns the limitation as an error.
func (*Engine) ReadEnvelope(context.Context, engine.Reference, *engine.Envelope) (engine.Envelope, error) {
	return engine.Envelope{}, &engine.LimitationError{Limitation: noEnvelopes}
}

// DeleteEnvelope returns the limitation as an error.
func (*Engine) DeleteEnvelope(context.Context, engine.Envelope) error {
	return &engine.LimitationError{Limitation: noEnvelopes}
}

// CheckOverride returns a limitation: the engine does not support overrides.
func (*Engine) CheckOverride(engine.Override) []engine.Limitation {
	return []engine.Limitation{noOverrides}
}

// ApplyOverride returns the limitation as an error.
func (*Engine) ApplyOverride(context.Context, engine.Override, *engine.Override) (engine.KeptOverride, error) {
	return engine.KeptOverride{}, &engine.LimitationError{Limitation: noOverrides}
}

// ReadOverride returns the limitation as an error.
func (*Engine) ReadOverride(context.Context, override.Reference, *engine.Override) (engine.KeptOverride, error) {
	return engine.KeptOverride{}, &engine.LimitationError{Limitation: noOverrides}
}

// DeleteOverride returns the limitation as an error.
func (*Engine) DeleteOverride(context.Context, engine.Override) error {
	return &engine.LimitationError{Limitation: noOverrides}
}
