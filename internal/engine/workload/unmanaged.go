package workload

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Unmanaged is a workload that a placement may take over.
type Unmanaged struct {
	Cluster string
	manifest.Identifier
	Owner takeover.Owner
}

// ListRequest is the input of List.
type ListRequest struct {
	// Clusters are the members to list; empty means all.
	Clusters []string
	Kinds    []workload.Kind
	engine.Filter
	// If Managed is true, the list includes workloads of Helm, Argo CD, Flux, Terraform and other tools that can be configured to stop managing them.
	Managed bool
}

// List returns the workloads on members that no tool, controller or placement manages. If request.Managed is true, it also returns workloads of tools that can
// be configured to stop managing them. It omits the namespaces of Kubernetes and of fleets, and workloads that a placement cannot contain, such as those that
// are being deleted. missed are the members that could not be listed completely.
func (r *Reader) List(ctx context.Context, request ListRequest) (found []Unmanaged, missed []engine.MissedCluster, err error) {
	members := request.Clusters
	if len(members) == 0 {
		members = r.clusters.Names()
	}
	if len(members) == 0 {
		return nil, nil, errors.New("the provider has no connection to a member: set the argument \"members\"")
	}
	var mu sync.Mutex
	err = r.clusters.Each(ctx, members, func(ctx context.Context, name string) error {
		member, err := r.clusters.Member(name)
		if err != nil {
			return err
		}
		here, err := listOn(ctx, member, request)
		mu.Lock()
		defer mu.Unlock()
		found = append(found, here...)
		if clusterset.IsOffline(err) {
			missed = append(missed, engine.MissedCluster{Cluster: name, Err: err})
			return nil
		}
		return err
	})
	slices.SortFunc(found, func(a, b Unmanaged) int { return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), a.Key().Compare(b.Key())) })
	slices.SortFunc(missed, func(a, b engine.MissedCluster) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return found, missed, err
}

// listOn lists the workloads of one member. If the account may not list some kinds, it returns those of the other kinds and an error.
func listOn(ctx context.Context, member *kube.Cluster, request ListRequest) (out []Unmanaged, err error) {
	var denied []error
	for _, kind := range request.Kinds {
		gvk := kind.GroupKind().WithVersion("v1")
		listed, err := member.ListMetadata(ctx, gvk, request.Namespace, request.LabelSelector)
		if kube.IsForbidden(err) {
			denied = append(denied, err)
			continue
		}
		if err != nil {
			return out, err
		}
		for _, metadata := range listed {
			if workload.IsSystemNamespace(metadata.Namespace) {
				continue
			}
			live, err := manifest.OfMetadata(gvk, metadata)
			if err != nil {
				return out, err
			}
			_, isUnfit := workload.Unfit(live)
			if owner := takeover.OwnerOf(live, takeover.Ours{}); !isUnfit && isFree(owner, request.Managed) {
				out = append(out, Unmanaged{Cluster: member.Name(), Owner: owner, Identifier: manifest.NewObject(live, nil).Identifier})
			}
		}
	}
	return out, errors.Join(denied...)
}

// isFree reports whether a placement may take over the workloads of an owner. If managed is true, this includes owners that can be configured to stop managing
// the workloads.
func isFree(owner takeover.Owner, managed bool) bool {
	switch owner.Kind {
	case takeover.OwnerNone, takeover.OwnerReleased, takeover.OwnerKubectl:
		return true
	case takeover.OwnerHelm, takeover.OwnerArgoCD, takeover.OwnerFlux, takeover.OwnerTerraform, takeover.OwnerTool:
		return managed
	case takeover.OwnerKubeFleet, takeover.OwnerKubeAdmiral, takeover.OwnerUnrecorded, takeover.OwnerPlacement, takeover.OwnerApplySet, takeover.OwnerController,
		takeover.OwnerKubernetes:
		return false
	}
	return false
}
