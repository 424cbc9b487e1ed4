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

// Held is why a container is kept.
type Held struct {
	// Why is a clause; empty for a container that is deleted.
	Why string
	// Unchecked reports that a cluster could not be checked now and may be later, so that a removal must not leave the container permanently.
	Unchecked bool
	// Occupants are the placements that the run may remove and that have to be removed before the container is deleted. Why is empty then.
	Occupants []string
}

// with combines what was found on two clusters. A reason that is known counts more than a cluster that could not be checked.
func (h Held) with(other Held) Held {
	names := slices.Concat(h.Occupants, other.Occupants)
	if h.Why == "" || h.Unchecked && other.Why != "" && !other.Unchecked {
		h = other
	}
	slices.Sort(names)
	h.Occupants = slices.Compact(names)
	return h
}

// held says why a container stays. Nothing keeps one that is being deleted.
func (p *Prediction) held(ctx context.Context, cluster *kube.Cluster, container *Container) (Held, error) {
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

// Check returns what holds a container by now, if nothing held it when the prediction was made. It is called right before the host deletes the container on the
// members: releasing the objects in it may have taken long.
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

// onHost returns why a container stays because of the objects in it on the host. Objects that the control plane keeps there about placed objects are
// deleted with these.
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

// heldBy says what keeps a container because of what a cluster has in it.
func heldBy(contents *engine.Contents, on string) Held {
	if contents.Empty() {
		return Held{Occupants: contents.First}
	}
	return Held{Why: contents.Obstacle() + " on " + on, Unchecked: contents.Unchecked() != nil}
}

// onMembers says what else is in a container by now on a member from which the host would delete it, or that a member could not be checked.
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

// contains says what else is in a container on the cluster by now.
func (c *Cluster) contains(ctx context.Context, clusters *clusterset.Set, container *Container) (Held, error) {
	member, err := clusters.Member(c.Name)
	if err != nil {
		return Held{}, err
	}
	read := &memberpreview.Member{Cluster: member}
	contents, err := read.ContentsAfter(ctx, container.is, c.going, c.prediction.firstOnMember())
	switch {
	case clusterset.IsOffline(err):
		return Held{Why: c.unseen(), Unchecked: true}, nil
	case err != nil:
		return Held{}, err
	}
	return heldBy(contents, c.Name), nil
}

// holds returns why a container stays because of the objects in it on the cluster, or because they are unknown.
func (c *Cluster) holds(container *Container) Held {
	o := c.leftoverOf(container.Key())
	switch {
	case o == nil || !c.takesPart() || !c.keeps(container):
		return Held{}
	case c.Err != nil:
		_, unconnected := errors.AsType[*engine.UnseenError](c.Err)
		return Held{Why: c.unseen(), Unchecked: !unconnected}
	case o.Action == takeover.ActionUnknown:
		return Held{Why: "it could not be checked on " + c.Name + ": " + o.Problem, Unchecked: !kube.IsForbidden(o.Unseen)}
	case o.Action == takeover.ActionPrune:
		return heldBy(o.Contents, c.Name)
	}
	return Held{}
}

// unseen is the reason for a cluster that was not checked.
func (c *Cluster) unseen() string {
	return c.Name + " could not be checked, and its deletion would delete everything in it there"
}
