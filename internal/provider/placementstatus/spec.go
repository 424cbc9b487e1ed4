package placementstatus

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
)

type specModel struct {
	PlacementType     domain.PlacementType    `tfsdk:"placement_type"`
	NumberOfClusters  *int32                  `tfsdk:"number_of_clusters"`
	ClusterNames      []string                `tfsdk:"cluster_names"`
	StrategyType      domain.StrategyType     `tfsdk:"strategy_type"`
	ApplyType         domain.ApplyType        `tfsdk:"apply_type"`
	ComparisonOption  domain.ComparisonOption `tfsdk:"comparison_option"`
	WhenToApply       domain.WhenToApply      `tfsdk:"when_to_apply"`
	WhenToTakeOver    domain.WhenToTakeOver   `tfsdk:"when_to_take_over"`
	Manifests         []string                `tfsdk:"manifests"`
	ResourceSelectors []identifier.Selector   `tfsdk:"resource_selectors"`
}

func flattenSpec(recorded *engine.Recorded) *specModel {
	spec := recorded.Spec.Defaulted()
	apply := spec.Strategy.ApplyStrategy
	return &specModel{
		PlacementType: spec.Policy.PlacementType, NumberOfClusters: spec.Policy.NumberOfClusters,
		ClusterNames: append([]string{}, spec.Policy.ClusterNames...), StrategyType: spec.Strategy.Type,
		ApplyType: apply.Type, ComparisonOption: apply.ComparisonOption, WhenToApply: apply.WhenToApply, WhenToTakeOver: apply.WhenToTakeOver,
		Manifests: append([]string{}, slices.Sorted(maps.Keys(recorded.Manifests))...),
		ResourceSelectors: convert.All(spec.ResourceSelectors, func(s domain.ResourceSelector) identifier.Selector {
			return identifier.Selector{Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name}
		}),
	}
}
