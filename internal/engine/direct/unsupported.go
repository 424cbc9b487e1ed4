package direct

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Unsupported tells what this engine cannot do, or cannot do yet.
func (e *Engine) Unsupported(request engine.PlacementRequest) []*engine.UnsupportedError {
	var out []*engine.UnsupportedError
	refuse := func(at placement.Path, format string, args ...any) {
		out = append(out, &engine.UnsupportedError{Path: at, Message: fmt.Sprintf(format, args...)})
	}
	spec := request.Spec
	if e.hub == nil && len(request.Manifests) == 0 {
		refuse(placement.At("manifests"), "%s", (&engine.NothingToPlaceError{}).Error())
	}
	if policy := spec.Policy; policy != nil {
		e.unsupportedPolicy(*policy, refuse)
	}
	if strategy := spec.Strategy; strategy != nil {
		unsupportedStrategy(*strategy, refuse)
	}
	if spec.StatusReportingScope == "NamespaceAccessible" {
		refuse(placement.At("status_reporting_scope"), "The direct engine has no hub controller that could keep a status in a namespace. "+
			"Leave status_reporting_scope out.")
	}
	return out
}

type refuseFunc func(at placement.Path, format string, args ...any)

func (e *Engine) unsupportedPolicy(policy placement.Policy, refuse refuseFunc) {
	at := placement.At("policy")
	for i, name := range policy.ClusterNames {
		if _, found := e.members[name]; !found {
			refuse(at.Attribute("cluster_names").Index(i), "%s", (&engine.NotConfiguredError{Member: name, Configured: e.memberNames()}).Error())
		}
	}
}

func unsupportedStrategy(strategy placement.Strategy, refuse refuseFunc) {
	at := placement.At("strategy")
	if strategy.Type == placement.ExternalStrategy {
		refuse(at.Attribute("type"), "The direct engine drives every rollout itself; there is no external controller. Use RollingUpdate.")
	}
	if back := strategy.ReportBackStrategy; back != nil && back.Type == "Mirror" {
		refuse(at.Attribute("report_back_strategy").Attribute("type"), "The direct engine has nowhere to copy the status of members' objects to. "+
			"Use Disabled.")
	}
}
