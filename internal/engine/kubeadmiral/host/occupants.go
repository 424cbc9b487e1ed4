package host

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Occupant describes an object on the host that belongs to another placement. It is an object that the provider created for that placement, or the policy of
// that placement.
type Occupant struct {
	Of engine.Reference
	// Orphan is the value of the object's orphan annotation. It decides whether the object remains on members if the other placement is removed: see
	// [convert.Orphan].
	Orphan string
}

// Occupants returns the objects of other placements for which holds returns true.
func Occupants(ctx context.Context, host *kube.Cluster, of engine.Reference, holds func(manifest.Identifier) bool) (map[manifest.Key]Occupant, error) {
	out := map[manifest.Key]Occupant{}
	for _, kind := range []string{v1alpha1.ClusterPropagationPolicyKind, v1alpha1.PropagationPolicyKind} {
		gvk := v1alpha1.GroupVersion.WithKind(kind)
		policies, err := controlplane.Metadata(ctx, host, dialect, gvk.GroupKind(), "", "")
		if kube.IsForbidden(err) {
			continue // without the records, the owners are unknown, and objects with an unknown owner block the deletion of a container
		}
		if err != nil {
			return nil, err
		}
		for _, policy := range policies {
			placement := engine.Reference{Namespace: policy.Namespace, Name: policy.Name}
			if placement == of {
				continue
			}
			made := parseRecord(policy.Annotations)
			id := manifest.Identifier{Group: gvk.Group, Version: gvk.Version, Kind: kind, Namespace: policy.Namespace, Name: policy.Name}
			made[id.Key()] = id
			if err := addOccupants(ctx, host, placement, made, holds, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func addOccupants(
	ctx context.Context, host *kube.Cluster, of engine.Reference, made Made, holds func(manifest.Identifier) bool, to map[manifest.Key]Occupant,
) error {
	var federated map[manifest.Key]convert.Federated
	for key, id := range made {
		if !holds(id) {
			continue
		}
		if federated == nil {
			var err error
			if federated, err = OfPolicy(ctx, host, of); err != nil {
				return err
			}
		}
		to[key] = Occupant{Of: of, Orphan: federated[key].Annotations[v1alpha1.OrphanAnnotation]}
	}
	return nil
}
