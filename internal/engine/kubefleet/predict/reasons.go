package predict

import (
	"context"
	"strconv"
	"strings"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// readReasons reads why the hub has not picked clusters, if the scheduler does not decide about all clusters again. It reads nothing for a policy of type
// PickFixed, or if the policy changes. It also reads nothing for a placement at rest, because plans do not show the reasons.
func (p *Prediction) readReasons(ctx context.Context, cluster *kube.Cluster) error {
	policy := p.Fleet.Policy
	switch {
	case p.Fleet.Placement == nil || p.Fleet.AtRest || policy == nil, p.Spec.Policy.PlacementType == placement.PickFixed:
		return nil
	case policyHash(policy.Spec.Policy) != p.Spec.PolicyHash(), p.decidesOnAll():
		return nil
	}
	latest, err := hub.LatestPolicy(ctx, cluster, p.Placement.Reference)
	if err != nil || latest == nil {
		return err
	}
	p.reasons = reasonsOf(latest.Status.ClusterDecisions)
	return nil
}

func (p *Prediction) decidesOnAll() bool {
	decided := map[string]bool{}
	for _, decision := range p.Outcome.Decisions {
		decided[decision.Cluster] = true
	}
	for _, m := range p.Fleet.Members {
		if !decided[m.Name] {
			return false
		}
	}
	return true
}

func reasonsOf(decisions []wire.ClusterDecision) map[string]string {
	out := map[string]string{}
	for _, decision := range decisions {
		if !decision.Selected {
			out[decision.ClusterName] = decision.Reason
		}
	}
	return out
}

// unpicked returns the decision for a cluster about which the scheduler does not decide again.
func (p *Prediction) unpicked(name string) schedule.Decision {
	reason := p.reasons[name]
	if reason == "" {
		reason = "not asked for by the placement policy"
	}
	return schedule.Decision{Cluster: name, Reason: reason, Cause: strings.TrimPrefix(reason, "Cluster "+strconv.Quote(name)+" ")}
}
