package predict

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Held is the reason why a container is kept.
type Held struct {
	// Why is a clause. It is empty if the container is deleted.
	Why string
	// Unchecked reports that a cluster could not be checked yet. A removal must not leave the container permanently because of this.
	Unchecked bool
	// Occupants are the placements that must be removed before the container is deleted, and that the run may remove. If it is set, Why is empty.
	Occupants []string
}

// with combines the results of two clusters. A known reason takes precedence over a cluster that could not be checked.
func (h Held) with(other Held) Held {
	names := slices.Concat(h.Occupants, other.Occupants)
	if h.Why == "" || h.Unchecked && other.Why != "" && !other.Unchecked {
		h = other
	}
	slices.Sort(names)
	h.Occupants = slices.Compact(names)
	return h
}

// reasonToKeep returns the reason why a container is kept. A container that is already being deleted is not kept.
func (p *Prediction) reasonToKeep(ctx context.Context, cluster *kube.Cluster, container *Container) (Held, error) {
	if container.Live.GetDeletionTimestamp() != nil {
		return Held{}, nil
	}
	if container.IsNamespace() && convert.Orphan(p.Placement.Spec) == v1alpha1.OrphanAll {
		return Held{Why: "the propagation policy is Abandon, and KubeAdmiral deletes the Namespaces that it created under every propagation policy"}, nil
	}
	placed := &engine.Contents{}
	for _, o := range p.Objects {
		if container.is.Holds(o.Identifier) {
			placed.Add(o.Identifier)
		}
	}
	if !placed.Empty() {
		return Held{Why: placed.Obstacle() + ", which the placement has in it"}, nil
	}
	held, err := p.onHost(ctx, cluster, container)
	if err != nil {
		return Held{}, err
	}
	for _, c := range p.Clusters {
		held = held.with(c.holds(container))
	}
	return p.decide(container, held), nil
}

// Check checks again whether the contents of a container keep it, if the prediction found no reason to keep it. It is called right before the host deletes
// the container on the members, because the release of the objects in it may have taken long.
func (p *Prediction) Check(ctx context.Context, clusters *clusterset.Set, container *Container) (Held, error) {
	if container.Held.Why != "" || container.Live.GetDeletionTimestamp() != nil {
		return container.Held, nil
	}
	if err := p.readOccupants(kube.ReadUnshared(ctx), clusters.Hub); err != nil {
		return Held{}, err
	}
	held, err := p.onHost(kube.ReadUnshared(ctx), clusters.Hub, container)
	if err == nil && held.Why == "" {
		var members Held
		members, err = p.onMembers(ctx, clusters, container)
		held = held.with(members)
	}
	return p.decide(container, held), err
}

// onHost returns the reason to keep a container because of the objects in it on the host. It ignores the control plane's own objects about placed objects,
// which are deleted together with the placed objects.
func (p *Prediction) onHost(ctx context.Context, cluster *kube.Cluster, container *Container) (Held, error) {
	if container.IsNamespace() {
		kept, err := host.KeptIn(ctx, cluster, container.Name)
		if err != nil {
			return Held{}, err
		}
		for _, uid := range kept {
			p.going[uid] = true
		}
	}
	read := &memberpreview.Member{Cluster: cluster}
	contents, err := read.ContentsAfter(ctx, container.is, p.going, p.firstOnHost(cluster.FieldManager("")))
	if err != nil {
		return Held{}, err
	}
	return heldBy(contents, "the host"), nil
}

// heldBy returns the reason to keep a container because of its contents on a cluster.
func heldBy(contents *engine.Contents, on string) Held {
	if contents.Empty() {
		return Held{Occupants: contents.First}
	}
	return Held{Why: contents.Obstacle() + " on " + on, Unchecked: contents.Unchecked() != nil}
}

// onMembers returns the reason to keep a container because of other objects in it on the members from which the host would delete it, or because a member
// could not be checked.
func (p *Prediction) onMembers(ctx context.Context, clusters *clusterset.Set, container *Container) (Held, error) {
	var names []string
	for _, c := range p.Clusters {
		if c.deletes(container) {
			names = append(names, c.Name)
		}
	}
	var mu sync.Mutex
	held := map[string]Held{}
	err := clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		why, err := p.Cluster(name).contains(kube.ReadUnshared(ctx), clusters, container)
		mu.Lock()
		defer mu.Unlock()
		held[name] = why
		return err
	})
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	var out Held
	for _, name := range names {
		out = out.with(held[name])
	}
	return out, err
}

// contains reads the other objects in a container on the cluster again.
func (c *Cluster) contains(ctx context.Context, clusters *clusterset.Set, container *Container) (Held, error) {
	member, err := clusters.Member(c.Name)
	if err != nil {
		return Held{}, err
	}
	read := &memberpreview.Member{Cluster: member}
	contents, err := read.ContentsAfter(ctx, container.is, c.going, c.prediction.firstOnMember())
	switch {
	case clusterset.IsOffline(err):
		return Held{Why: c.uncheckedReason(), Unchecked: true}, nil
	case err != nil:
		return Held{}, err
	}
	return heldBy(contents, c.Name), nil
}

// holds returns the reason to keep a container because of its contents on the cluster, or because the contents are unknown.
func (c *Cluster) holds(container *Container) Held {
	o := c.leftoverOf(container.Key())
	switch {
	case o == nil || !c.takesPart() || !c.keeps(container):
		return Held{}
	case c.Err != nil:
		_, unconnected := errors.AsType[*engine.UnseenError](c.Err)
		return Held{Why: c.uncheckedReason(), Unchecked: !unconnected}
	case o.Action == takeover.ActionUnknown:
		return Held{Why: "it could not be checked on " + c.Name + ": " + o.Problem, Unchecked: !kube.IsForbidden(o.Unseen)}
	case o.Action == takeover.ActionPrune:
		return heldBy(o.Contents, c.Name)
	}
	return Held{}
}

// uncheckedReason returns the reason why the cluster was not checked.
func (c *Cluster) uncheckedReason() string {
	return c.Name + " could not be checked, and its deletion would delete everything in it there"
}
