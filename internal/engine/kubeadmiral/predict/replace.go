package predict

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// replaced is a placement that goes before this one is written.
type replaced struct {
	federated map[manifest.Key]convert.Federated
	// orphan is what stays of it.
	orphan string
}

// replace takes a placement that goes first for gone.
func (p *Prediction) replace(ctx context.Context, clusters *clusterset.Set, goes engine.Placement) error {
	before := p.Fleet
	if goes.Reference != p.Placement.Reference {
		var err error
		if before, err = host.Look(ctx, clusters.Hub, goes.Reference); err != nil {
			return err
		}
	}
	p.replaced = &replaced{federated: before.Federated, orphan: convert.Orphan(goes.Spec)}
	p.Fleet.Policy, p.Fleet.ExternalPolicy, p.Fleet.PolicyLive, p.Fleet.Federated = nil, nil, before.PolicyLive, nil
	return nil
}

// has tells whether an object on a cluster goes with what is replaced.
func (r *replaced) has(id manifest.Identifier, live *unstructured.Unstructured, cluster string) bool {
	if r == nil || !dispatch.Managed(live) {
		return false
	}
	f, found := r.federated[id.Key()]
	_, _, told := f.On(cluster)
	return found && (told || slices.Contains(f.Placed(), cluster))
}

// releases tells whether an object on a cluster stays there, and is nobody's then.
func (r *replaced) releases(id manifest.Identifier, live *unstructured.Unstructured, cluster string) bool {
	return r.has(id, live, cluster) && (r.orphan == v1alpha1.OrphanAll || dispatch.Adopted(live))
}

// deletes tells whether an object is deleted on a cluster.
func (r *replaced) deletes(id manifest.Identifier, live *unstructured.Unstructured, cluster string) bool {
	return r.has(id, live, cluster) && !r.releases(id, live, cluster)
}
