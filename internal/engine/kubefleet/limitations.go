package kubefleet

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// maxMemberName is the maximum length of a member's name. The name of the member's namespace on the hub consists of the prefix "fleet-member-" and the name of
// the member, and can have at most 63 characters.
const maxMemberName = 50

type limitations []engine.Limitation

func (l *limitations) refuse(at placement.Path, message string) {
	*l = append(*l, engine.Limitation{Path: at, Message: message})
}

func (l *limitations) ignore(at placement.Path, message string) {
	*l = append(*l, engine.Limitation{Path: at, Message: message, Ignored: true})
}

// CheckMember rejects a name that is too long for the namespace of the member. A hub would accept the member, but the member would never join.
func (*Engine) CheckMember(spec member.Spec) []engine.Limitation {
	var out limitations
	if len(spec.Name) > maxMemberName {
		out.refuse(placement.At("name"), fmt.Sprintf("The name has %d characters. The hub creates the namespace fleet-member-NAME for a member, so the name "+
			"can have at most %d: a member with a longer name never joins.", len(spec.Name), maxMemberName))
	}
	return out
}

// CheckEnvelope returns no limitations.
func (*Engine) CheckEnvelope(envelope.Spec) []engine.Limitation { return nil }

// CheckChange returns the changes that the API of a hub rejects.
func (*Engine) CheckChange(before, after placement.Spec) []placement.Problem {
	return placement.ValidateChange(before, after)
}

// CanRename returns false: a placement is an object with this name on the hub, and the AppliedWorks that own its objects on the members have names that contain
// this name.
func (*Engine) CanRename() bool { return false }

// CheckPlacement returns the arguments that hubs do not support, and those that hubs accept and ignore.
func (*Engine) CheckPlacement(p engine.Placement) []engine.Limitation {
	var out limitations
	if len(p.Manifests) > 0 {
		out.refuse(placement.At("manifests"), "A hub places objects that are on the hub. Put the manifests into a fleet_envelope_configmap and select "+
			"it, or use engine = \"direct\".")
	}
	if len(p.WriteOnly) > 0 {
		out.refuse(placement.At("manifests_wo"), "A hub places objects that it stores. Use engine = \"direct\" for manifests that no hub stores.")
	}
	if len(p.Spec.ResourceSelectors) == 0 {
		out.refuse(placement.At("resource_selectors"), "A placement on a hub needs at least one selector.")
	}
	if p.Prior == nil && predict.StopsScheduler(p.Name) {
		out.refuse(placement.At("name"), fmt.Sprintf("The name has a dot in its first %d characters. The hub's scheduler uses these characters in names that must "+
			"not have a dot. It would stop, and place nothing. Use hyphens.", schedule.MaxPlacementPart))
	}
	if policy := p.Spec.Policy; policy != nil && policy.PlacementType == placement.PickFixed && len(policy.ClusterNames) == 0 {
		out.refuse(placement.At("policy").Attribute("cluster_names"), "A hub ignores an empty list of clusters: placed objects remain, and the placement never "+
			"completes. To place on no cluster, and to remove the placed objects, use placement_type = \"PickN\" with number_of_clusters = 0.")
	}
	checkStrategy(&out, p.Spec.Strategy)
	out = append(out, engine.RefuseIgnoreFields(p, "The agents of KubeFleet write all fields of an object. Leave the field out of the manifest, which only an envelope can do, or use "+
		"engine = \"direct\".")...)
	checkHandOver(&out, p)
	return out
}

func checkHandOver(out *limitations, p engine.Placement) {
	for _, giver := range p.TakesOverFrom {
		if giver.Removed {
			out.refuse(placement.At("takes_over_from_removed"), fmt.Sprintf("On a KubeFleet hub, placement %q continues to place its objects until it is destroyed. Leave its "+
				"resource in the configuration, with count = 0 and with the resource of this placement in depends_on, and name it in takes_over_from. The same apply then "+
				"hands the objects over and destroys placement %q.", giver.Name, giver.Name))
			return
		}
	}
	if strategy := p.Spec.Strategy; len(p.TakesOverFrom) > 0 && strategy != nil {
		switch {
		case strategy.Type == placement.ExternalStrategy:
			out.refuse(placement.At("takes_over_from"), "With strategy.type = \"External\", staged update runs place the objects, and an apply hands none over. Apply the "+
				"hand-over with the type \"RollingUpdate\" first.")
		case strategy.ApplyStrategy != nil && strategy.ApplyStrategy.Type == placement.ReportDiff:
			out.refuse(placement.At("takes_over_from"), "With strategy.apply_strategy.type = \"ReportDiff\", the agents place nothing. Use another type for the hand-over.")
		}
	}
}

func checkStrategy(out *limitations, strategy *placement.Strategy) {
	if strategy == nil {
		return
	}
	at := placement.At("strategy")
	if deletion := strategy.DeleteStrategy; deletion != nil {
		if deletion.Contents != "" {
			out.refuse(at.Attribute("delete_strategy").Attribute("contents"), "A hub always deletes a Namespace with everything in it. Omit "+
				"contents. The plan of a destroy counts the deleted objects.")
		}
		if apply := strategy.ApplyStrategy; deletion.PropagationPolicy == placement.AbandonObjects && apply != nil &&
			apply.Type != placement.ServerSideApply && apply.AllowCoOwnership != nil && *apply.AllowCoOwnership {
			out.refuse(at.Attribute("delete_strategy").Attribute("propagation_policy"), "With allow_co_ownership, an agent that applies client-side removes every "+
				"owner reference but its own from custom resources, including the reference by which the provider keeps them. They would be deleted. Omit "+
				"apply_strategy.allow_co_ownership, or set apply_strategy.type to \"ServerSideApply\".")
		}
	}
	if back := strategy.ReportBackStrategy; back != nil && back.Type == placement.ReportBackMirror {
		out.ignore(at.Attribute("report_back_strategy").Attribute("type"), "Hubs accept \"Mirror\", but do not report anything back yet.")
	}
	if rolling := strategy.RollingUpdate; rolling != nil && rolling.UnavailablePeriodSeconds != nil && *rolling.UnavailablePeriodSeconds > 0 {
		out.ignore(at.Attribute("rolling_update").Attribute("unavailable_period_seconds"), "A hub waits this long only after a cluster with objects whose "+
			"availability it cannot determine. After other clusters it continues as soon as their objects are available.")
	}
}
