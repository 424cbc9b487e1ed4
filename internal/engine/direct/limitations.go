package direct

import (
	"context"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

type limitations []engine.Limitation

func (l *limitations) refuse(at placement.Path, message string) {
	*l = append(*l, engine.Limitation{Path: at, Message: message})
}

func (l *limitations) ignore(at placement.Path, message string) {
	*l = append(*l, engine.Limitation{Path: at, Message: message, Ignored: true})
}

// CheckMember reports a missing connection to the member, adopt_existing, and the arguments that only agents on members use.
func (e *Engine) CheckMember(spec member.Spec) []engine.Limitation {
	var out limitations
	if _, err := e.clusters.Member(spec.Name); err != nil && spec.Name != "" {
		out = append(out, engine.Unconnected(placement.At("name"), spec.Name, err.Error()+". Add a connection to this member there."))
	}
	const noAgents = "The direct engine has no agents on the members. The value is stored without effect, so that the same configuration works with " +
		"a hub."
	if spec.Adopts() {
		out.refuse(placement.At("adopt_existing"), "The direct engine registers every member itself: no other system does. Omit it, or use engine = "+
			"\"kubefleet\".")
	}
	if spec.HeartbeatPeriodSeconds != nil {
		out.ignore(placement.At("heartbeat_period_seconds"), noAgents)
	}
	if spec.Identity != nil {
		out.ignore(placement.At("identity"), noAgents)
	}
	if spec.DeleteOptions != nil && spec.DeleteOptions.ValidationMode != "" {
		out.ignore(placement.At("delete_options").Attribute("validation_mode"), noAgents)
	}
	return out
}

// ServesMember returns nil: the record on the member can store every registration.
func (*Engine) ServesMember(context.Context, member.Spec) error { return nil }

// Agent returns nil: there are no agents.
func (*Engine) Agent(member.Spec) *engine.Agent { return nil }

// AgentAccess returns an error: there are no agents.
func (*Engine) AgentAccess(context.Context, string, time.Duration) (*engine.AgentAccess, error) {
	return nil, &engine.LimitationError{Limitation: engine.Limitation{
		Path: placement.At("name"), Message: "The direct engine has no agents on the members, so nothing signs in to a hub. Use engine = " +
			"\"kubefleet\".",
	}}
}

// CheckEnvelope reports a missing hub, and a wire format that the engine does not support.
func (e *Engine) CheckEnvelope(spec envelope.Spec) []engine.Limitation {
	var out limitations
	switch spec.WireFormat {
	case "", envelope.FormatAuto, envelope.FormatConfigMap:
	case envelope.FormatResourceEnvelope, envelope.FormatClusterResourceEnvelope:
		out.refuse(placement.At("wire_format"), "The direct engine stores envelopes in ConfigMaps. Omit it, or use engine = \"kubefleet\".")
	}
	if e.clusters.Hub == nil {
		out.refuse(placement.At("name"), "The provider has no hub that could store an envelope. Put the envelope's manifests into the \"manifests\" of "+
			"the fleet_crp that places them.")
	}
	return out
}

// CheckOverride returns nothing: the engine supports every override.
func (*Engine) CheckOverride(engine.Override) []engine.Limitation { return nil }

// CheckChange returns nothing: without a hub, no API forbids a change.
func (*Engine) CheckChange(_, _ placement.Spec) []placement.Problem { return nil }

// CanRename reports true: the records on the members have the name, and an apply changes it there.
func (*Engine) CanRename() bool { return true }

// CheckPlacement reports the arguments that need a hub or hub software, and clusters of the policy to which the provider has no connection.
func (e *Engine) CheckPlacement(p engine.Placement) []engine.Limitation {
	var out limitations
	if p.Namespace != "" {
		return []engine.Limitation{namespaceLimitation()}
	}
	if e.clusters.Hub == nil && len(p.AllManifests()) == 0 {
		out.refuse(placement.At("manifests"), (&engine.NothingToPlaceError{}).Error())
	}
	if policy := p.Spec.Policy; policy != nil {
		for i, name := range policy.ClusterNames {
			if _, err := e.clusters.Member(name); err != nil {
				out = append(out, engine.Unconnected(placement.At("policy").Attribute("cluster_names").Index(i), name,
					err.Error()+". Add a connection to this member there, or remove the name from the policy."))
			}
		}
	}
	at := placement.At("strategy")
	strategy := p.Spec.Defaulted().Strategy
	if strategy.Type == placement.ExternalStrategy {
		out.refuse(at.Attribute("type"), "The direct engine runs every rollout itself; there is no external controller. Use RollingUpdate.")
	}
	if back := strategy.ReportBackStrategy; back != nil && back.Type == placement.ReportBackMirror {
		out.refuse(at.Attribute("report_back_strategy").Attribute("type"), "The direct engine does not copy the status of members' objects. Use "+
			"Disabled.")
	}
	if p.Spec.StatusReportingScope == placement.NamespaceAccessible {
		out.refuse(placement.At("status_reporting_scope"), "The direct engine has no hub controller that writes a status into a namespace. Omit "+
			"status_reporting_scope.")
	}
	return out
}

func namespaceLimitation() engine.Limitation {
	return engine.Limitation{Path: placement.At("namespace"), Message: "The direct engine has no placements in namespaces. Use a fleet_crp that " +
		"selects the namespace with selection_scope = \"NamespaceWithResourceSelectors\" and the objects to place from it, or engine = \"kubefleet\"."}
}

var noHub = engine.NoHub{Limitation: engine.Limitation{Path: placement.At("name"), Message: "The direct engine has neither staged updates nor " +
	"evictions. An apply rolls a placement out according to strategy.rolling_update of the fleet_crp. A policy or a taint excludes a cluster " +
	"from a placement. For staged updates and evictions, use engine = \"kubefleet\"."}}
