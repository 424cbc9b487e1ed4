package convert

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

var strategyPath = placement.At("strategy")

// strategy adapts asked, a function on a strategy, to a function on a placement. The returned function returns nil for a placement without a strategy.
func strategy(asked func(placement.Strategy) []placement.Path) func(Placed) []placement.Path {
	return func(p Placed) []placement.Path {
		if p.Spec.Strategy == nil {
			return nil
		}
		return asked(*p.Spec.Strategy)
	}
}

// applyStrategyArgument returns a function for Mapping.placed. That function returns the path of the argument if the placement has an apply strategy for
// which applies returns true.
func applyStrategyArgument(argument string, applies func(placement.ApplyStrategy) bool) func(Placed) []placement.Path {
	return strategy(func(s placement.Strategy) []placement.Path {
		return pathIf(s.ApplyStrategy != nil && applies(*s.ApplyStrategy), strategyPath.Attribute("apply_strategy").Attribute(argument))
	})
}

const allAtOnce = "A host cluster changes all members at the same time."

var strategyMappings = []Mapping{
	{
		Resource: "fleet_crp", Argument: "strategy.rolling_update", Fidelity: Ignored, Note: allAtOnce,
		placed: strategy(func(s placement.Strategy) []placement.Path {
			return pathIf(s.RollingUpdate != nil, strategyPath.Attribute("rolling_update"))
		}),
	},
	{
		Resource: "fleet_crp", Argument: "strategy.type", Value: "External", Fidelity: Impossible, Note: allAtOnce + " No other component can drive the " +
			"rollout.",
		placed: strategy(func(s placement.Strategy) []placement.Path {
			return pathIf(s.Type == placement.ExternalStrategy, strategyPath.Attribute("type"))
		}),
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.type", Value: "ClientSideApply", Becomes: "a replacement of the whole " +
			"object", Fidelity: Lossy,
		Note: "A host cluster replaces the whole object, except labels, annotations, finalizers and values that a cluster allocates. All other fields that " +
			"only the member " +
			"has are lost, as the plan shows.",
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.type", Value: "ServerSideApply", Becomes: "a replacement of the whole " +
			"object", Fidelity: Ignored,
		Note: "A host cluster replaces the whole object, including fields of other field managers.",
		placed: applyStrategyArgument("type", func(a placement.ApplyStrategy) bool {
			return a.Type == placement.ServerSideApply
		}),
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.type", Value: "ReportDiff", Fidelity: Impossible,
		Note: "A host cluster always applies the objects that it places, and cannot only report differences. The data source fleet_placement_preview shows " +
			"the differences.",
		placed: applyStrategyArgument("type", func(a placement.ApplyStrategy) bool {
			return a.Type == placement.ReportDiff
		}),
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.when_to_apply", Value: "IfNotDrifted", Fidelity: Impossible,
		Note: "A host cluster overwrites changes on a member within seconds. Use Always.",
		placed: applyStrategyArgument("when_to_apply", func(a placement.ApplyStrategy) bool {
			return a.WhenToApply == placement.ApplyIfNotDrifted
		}),
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.comparison_option", Fidelity: Lossy,
		Note: "The argument defines which differences prevent a takeover: the provider compares the objects. Drift is not reported, because the host " +
			"cluster overwrites it.",
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.when_to_take_over", Value: "Always",
		Becomes: "annotations `conflict-resolution: adopt` and `clusters-to-adopt`, for every cluster", Fidelity: Exact,
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.when_to_take_over", Value: "Never", Becomes: "neither annotation", Fidelity: Exact,
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.when_to_take_over", Value: "IfNoDiff",
		Becomes: "`clusters-to-adopt` with the clusters on which the object is equal", Fidelity: Lossy,
		Note: "The provider compares the objects, and the host cluster takes them over a moment later. On a cluster that is picked later, or to which the " +
			"provider has no " +
			"connection, nothing is taken over before the next apply.",
	},
	{
		Resource: "fleet_crp", Argument: "strategy.apply_strategy.allow_co_ownership", Value: "true", Fidelity: Lossy,
		Title: "owner references are dropped",
		Note: "A host cluster drops the owner references of an object that it takes over: the object is no longer deleted together with its owner. Without " +
			"this argument, " +
			"objects with owner references are not taken over.",
		placed: applyStrategyArgument("allow_co_ownership", func(a placement.ApplyStrategy) bool {
			return a.AllowCoOwnership != nil && *a.AllowCoOwnership
		}),
	},
	{
		Resource: "fleet_crp", Argument: "strategy.delete_strategy.propagation_policy", Becomes: "annotation `kubeadmiral.io/orphan`: `adopted`, or `all` " +
			"for Abandon",
		Fidelity: Exact,
	},
	{
		Resource: "fleet_crp", Argument: "strategy.delete_strategy.contents", Fidelity: Impossible,
		Note: "A host cluster always deletes a Namespace with everything in it. Remove the argument. The plan of a destroy counts the objects.",
		placed: strategy(func(s placement.Strategy) []placement.Path {
			return pathIf(s.DeleteStrategy != nil && s.DeleteStrategy.Contents != "", strategyPath.Attribute("delete_strategy").Attribute("contents"))
		}),
	},
	{
		Resource: "fleet_crp", Argument: "strategy.report_back_strategy.type", Value: "Mirror", Fidelity: Impossible,
		Note: "A host cluster copies back the status of Deployments, StatefulSets, Jobs and Pods, whatever this argument says. Omit the argument.",
		placed: strategy(func(s placement.Strategy) []placement.Path {
			return pathIf(s.ReportBackStrategy != nil && s.ReportBackStrategy.Type == placement.ReportBackMirror,
				strategyPath.Attribute("report_back_strategy").Attribute("type"))
		}),
	},
}

var otherMappings = []Mapping{
	{
		Resource: "fleet_crp", Argument: "revision_history_limit", Fidelity: Ignored, Note: "A host cluster keeps no history of the placed objects.",
		placed: func(p Placed) []placement.Path {
			return pathIf(p.Spec.RevisionHistoryLimit != nil, placement.At("revision_history_limit"))
		},
	},
	{
		Resource: "fleet_crp", Argument: "takes_over_from", Becomes: "the label of each object, which then names the policy of the new " +
			"placement", Fidelity: Lossy,
		Note: "An object on a host cluster has one policy on all clusters. If the placement does not pick a cluster that the former placement picked, the " +
			"host cluster deletes the object there, as the plan of the placement shows.",
	},
	{
		Resource: "fleet_crp", Argument: "takes_over_from_removed", Fidelity: Exact,
		Becomes: "the same; the apply deletes the former policy when no object has its label, unless others created that policy",
	},
	{
		Resource: "fleet_crp", Argument: "status_reporting_scope", Value: "NamespaceAccessible", Fidelity: Impossible,
		Note: "A host cluster keeps no status of a placement: the provider computes it from the objects. Remove the argument.",
		placed: func(p Placed) []placement.Path {
			return pathIf(p.Spec.StatusReportingScope == placement.NamespaceAccessible, placement.At("status_reporting_scope"))
		},
	},
	{
		Resource: "fleet_crp", Argument: "a selected Namespace", Becomes: "nothing: every Namespace of the host cluster is on every member", Fidelity: Lossy,
		Note: "A host cluster places its Namespaces on all members, regardless of the policy, and takes over the Namespaces that exist there. The objects " +
			"in a Namespace are " +
			"placed as selected.",
	},
	{
		Resource: "fleet_envelope_configmap", Fidelity: Impossible,
		Note: "A host cluster does not open envelopes. Use the argument manifests of the placement instead.",
	},
	{
		Resource: "fleet_cluster_resource_override, fleet_resource_override", Fidelity: Impossible,
		Note: "An OverridePolicy of a host cluster has neither variables nor rules that delete objects, and applies to objects with its label. This version " +
			"of the provider " +
			"does not write OverridePolicies.",
	},
	{
		Resource: "fleet_staged_update_strategy, fleet_staged_update_run", Fidelity: Impossible, Note: allAtOnce,
	},
	{
		Resource: "fleet_disruption_budget, evictions", Fidelity: Impossible,
		Note: "A host cluster has no evictions. To remove a placement from a cluster, change the policy of the placement.",
	},
}
