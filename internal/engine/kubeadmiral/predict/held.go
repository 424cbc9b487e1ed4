package predict

import (
	"cmp"
	"context"
	"errors"
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

// Held is why a container stays.
type Held struct {
	// Why is a clause, empty for a container that goes.
	Why string
	// Unchecked says that a cluster could not be checked now, and may be at another time: a removal must not leave the container for good then.
	Unchecked bool
}

// held says why a container stays. Nothing keeps one that is being deleted.
func (p *Prediction) held(ctx context.Context, cluster *kube.Cluster, container *Container) (Held, error) {
	if container.Live.GetDeletionTimestamp() != nil {
		return Held{}, nil
	}
	if container.IsNamespace() && convert.Orphan(p.Placement.Spec) == v1alpha1.OrphanAll {
		return Held{Why: "the propagation policy is Abandon, and a host deletes the Namespaces that it has made whatever that says"}, nil
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
	if held, err := p.OnHost(ctx, cluster, container); held.Why != "" || err != nil {
		return held, err
	}
	var out Held
	for _, c := range p.Clusters {
		held := c.holds(container)
		if held.Why != "" && !held.Unchecked {
			return held, nil
		}
		out = cmp.Or(out, held)
	}
	return out, nil
}

// OnHost returns why a container stays because of the objects in it on the host. Objects that the control plane keeps there about placed objects are
// deleted with these.
func (p *Prediction) OnHost(ctx context.Context, cluster *kube.Cluster, container *Container) (Held, error) {
	if container.IsNamespace() {
		kept, err := host.KeptIn(ctx, cluster, container.Name)
		if err != nil {
			return Held{}, err
		}
		for _, uid := range kept {
			p.going[uid] = true
		}
	}
	look := &memberpreview.Member{Cluster: cluster}
	contents, err := look.Contents(ctx, container.is, p.going)
	if err != nil {
		return Held{}, err
	}
	return heldBy(contents, "the host"), nil
}

// heldBy says what keeps a container because of what a cluster has in it.
func heldBy(contents *engine.Contents, on string) Held {
	if contents.Empty() {
		return Held{}
	}
	return Held{Why: contents.Obstacle() + " on " + on, Unchecked: contents.Unchecked() != nil}
}

// OnMembers says what else is in a container by now on a member from which the host would delete it, or that a member could not be checked.
func (p *Prediction) OnMembers(ctx context.Context, clusters *clusterset.Set, container *Container) (Held, error) {
	var names []string
	for _, c := range p.Clusters {
		if o := c.leftoverOf(container.Key()); c.Err == nil && o != nil && o.Action == takeover.ActionPrune {
			names = append(names, c.Name)
		}
	}
	var mu sync.Mutex
	held := map[string]Held{}
	err := clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		why, err := p.Cluster(name).contains(kube.ReadAnew(ctx), clusters, container)
		mu.Lock()
		defer mu.Unlock()
		held[name] = why
		return err
	})
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	for _, name := range names {
		if held[name].Why != "" {
			return held[name], err
		}
	}
	return Held{}, err
}

// contains says what else is in a container on the cluster by now.
func (c *Cluster) contains(ctx context.Context, clusters *clusterset.Set, container *Container) (Held, error) {
	member, err := clusters.Member(c.Name)
	if err != nil {
		return Held{}, err
	}
	look := &memberpreview.Member{Cluster: member}
	contents, err := look.Contents(ctx, container.is, c.going)
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
		return Held{Why: "it could not be looked at on " + c.Name + ": " + o.Problem, Unchecked: !kube.IsForbidden(o.Unseen)}
	case o.Action == takeover.ActionPrune:
		return heldBy(o.Contents, c.Name)
	}
	return Held{}
}

// unseen is the reason for a cluster that was not checked.
func (c *Cluster) unseen() string {
	return c.Name + " could not be looked at, where its deletion would take everything with it that is in it"
}
