package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/crp"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/disruptionbudget"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/envelopeconfigmap"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/listing"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/membercluster"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/resourceplacement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/workload"
)

// ListResources returns the list resources. Every resource type has one.
func (*Provider) ListResources(context.Context) []func() list.ListResource {
	const onHub = " Engine `kubefleet` only."
	const byImport = " The results can be imported: `terraform query -generate-config-out=FILE` writes their configuration, without sensitive " +
		"values. Needs Terraform 1.14."
	return []func() list.ListResource{
		listing.New(listing.Type{Resource: membercluster.New, Of: engine.AllMembers, Description: "The members of the fleet: the `MemberCluster`s of a hub " +
			"of KubeFleet, or the `FederatedCluster`s of a KubeAdmiral host cluster. With the engine `direct`, the registered members among the provider's " +
			"`members`. For a member that another system created, such as Azure, the generated configuration sets `adopt_existing = true`." + byImport}),
		listing.New(listing.Type{Resource: crp.New, Of: engine.AllPlacements, Description: "The cluster-scoped placements of the fleet: the " +
			"`ClusterResourcePlacement`s of a hub of KubeFleet, or the `ClusterPropagationPolicy` objects of a KubeAdmiral host cluster. With the engine " +
			"`direct`, the placements that have a record on a member." + byImport}),
		listing.New(listing.Type{Resource: resourceplacement.New, Of: engine.AllNamespacedPlacements, Namespaced: true,
			Description: "The placements in namespaces: the `ResourcePlacement`s of a hub of KubeFleet, or the `PropagationPolicy` objects of a KubeAdmiral " +
				"host cluster. Not with the engine `direct`." + byImport}),
		listing.New(listing.Type{Resource: envelopeconfigmap.New, Of: engine.AllEnvelopes, Namespaced: true, Description: "The envelopes on the hub: " +
			"`ResourceEnvelope`s, `ClusterResourceEnvelope`s with the annotation `fleet.terraform.io/envelope-namespace`, and ConfigMaps with the annotation " +
			"`kubernetes-fleet.io/envelope-configmap`. The annotation of a `ClusterResourceEnvelope` names the namespace of its envelope. A " +
			"`ResourceEnvelope` with the same name in this namespace belongs to the same envelope." + byImport}),
		listing.New(listing.Type{Resource: override.NewCluster, Of: engine.AllClusterOverrides,
			Description: "The overrides that select cluster-scoped objects or whole namespaces: the `ClusterResourceOverride`s of a hub. With the engine `direct`, the overrides " +
				"that have a record on a member." + byImport}),
		listing.New(listing.Type{Resource: override.NewNamespaced, Of: engine.AllOverrides, Namespaced: true,
			Description: "The overrides of objects in namespaces: the `ResourceOverride`s of a hub. With the engine `direct`, the overrides that have " +
				"a record on a member." + byImport}),
		listing.New(listing.Type{Resource: stagedupdate.NewStrategy, Of: engine.AllUpdateStrategies, Namespaced: true,
			Description: "The `ClusterStagedUpdateStrategy` objects of a hub, and the `StagedUpdateStrategy` objects in its namespaces." + onHub + byImport}),
		listing.New(listing.Type{Resource: stagedupdate.NewRun, Of: engine.AllUpdateRuns, Namespaced: true,
			Description: "The `ClusterStagedUpdateRun`s of a hub, and the `StagedUpdateRun`s in its namespaces." + onHub + byImport}),
		listing.New(listing.Type{Resource: disruptionbudget.New, Of: engine.AllDisruptionBudgets,
			Description: "The `ClusterResourcePlacementDisruptionBudget`s of a hub." + onHub + byImport}),
		workload.NewList,
	}
}
