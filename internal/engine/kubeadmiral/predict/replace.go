package predict

import (
	"cmp"
	"context"
	"fmt"
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

// replaced are objects that the host deletes before the placement is written: the objects of a placement that is destroyed first, or objects that are already
// being deleted on the host.
type replaced struct {
	federated map[manifest.Key]convert.Federated
	// orphan is the value of the orphan annotation for all objects. If it is empty, the annotation of each object applies.
	orphan string
}

// isRecreated reports whether an object of a manifest is being deleted on the host. An apply creates such an object again after the deletion.
func (o *Object) isRecreated() bool {
	return o.Manifest != nil && o.Live != nil && o.Live.GetDeletionTimestamp() != nil
}

// deleted returns the objects that come from manifests and are being deleted on the host.
func (p *Prediction) deleted() []*Object {
	return slices.DeleteFunc(slices.Clone(p.Objects), func(o *Object) bool { return !o.isRecreated() })
}

// recreate records the FederatedObjects of the objects that are being deleted on the host, to predict which of their copies remain on members.
func (p *Prediction) recreate() {
	p.recreated = &replaced{federated: map[manifest.Key]convert.Federated{}}
	for _, o := range p.deleted() {
		if f, found := p.Fleet.Federated[o.Key()]; found {
			p.recreated.federated[o.Key()] = f
		}
	}
}

// replace records the objects of former, the placement that is destroyed first. It clears the policy, the FederatedObjects and the followers in p.Fleet, and
// sets PolicyLive to the policy of former.
func (p *Prediction) replace(ctx context.Context, clusters *clusterset.Set, former engine.Placement) error {
	before := p.Fleet
	if former.Reference != p.Placement.Reference {
		var err error
		if before, err = host.ReadFleet(ctx, clusters.Hub, former.Reference); err != nil {
			return err
		}
	}
	p.replaced = &replaced{federated: before.Federated, orphan: convert.Orphan(former.Spec)}
	p.Fleet.Policy, p.Fleet.ExternalPolicy, p.Fleet.PolicyLive = nil, nil, before.PolicyLive
	p.Fleet.Federated, p.Fleet.Followers = nil, nil
	return nil
}

// checkReplaced returns an error if the removal of the replaced placement keeps a Namespace or CustomResourceDefinition on the host, and a manifest of this
// placement contains the same object. The apply could not write it.
func (p *Prediction) checkReplaced(ctx context.Context, clusters *clusterset.Set) error {
	isContainer := func(o *Object) bool {
		return o.Manifest != nil && (o.IsNamespace() || manifest.IsDefinition(o.Identifier))
	}
	if p.options.Replaces == nil || !slices.ContainsFunc(p.Objects, isContainer) {
		return nil
	}
	options := engine.DeleteOptions{Run: p.options.Run, Takers: p.options.Takers, World: p.options.World.Assumptions()}
	removal, err := Removal(ctx, clusters, *p.options.Replaces, options, false)
	if err != nil {
		return err
	}
	lines := []string{"the host cluster cannot place these objects:"}
	for _, o := range p.Objects {
		if isContainer(o) && removal.holds(o.Key()) {
			lines = append(lines, fmt.Sprintf("  %s: the placement is replaced, and its removal keeps it on the host: %s. The new placement could not write it. Plan without "+
				"-replace, or run \"terraform untaint\"", o.Identifier, removal.Container(o.Key()).Held.Why))
		}
	}
	if len(lines) > 1 {
		return joinLines(lines)
	}
	return nil
}

// has reports whether an object on a cluster belongs to the replaced objects.
func (r *replaced) has(id manifest.Identifier, live *unstructured.Unstructured, cluster string) bool {
	if r == nil || !dispatch.Managed(live) {
		return false
	}
	f, found := r.federated[id.Key()]
	return found && f.Involves(cluster)
}

// releases reports whether a replaced object remains on a cluster without belonging to a placement.
func (r *replaced) releases(id manifest.Identifier, live *unstructured.Unstructured, cluster string) bool {
	if !r.has(id, live, cluster) {
		return false
	}
	orphan := cmp.Or(r.orphan, r.federated[id.Key()].Annotations[v1alpha1.OrphanAnnotation])
	return orphan == v1alpha1.OrphanAll || orphan == v1alpha1.OrphanAdopted && dispatch.Adopted(live)
}

func (r *replaced) deletes(id manifest.Identifier, live *unstructured.Unstructured, cluster string) bool {
	return r.has(id, live, cluster) && !r.releases(id, live, cluster)
}
