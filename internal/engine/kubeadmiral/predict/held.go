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

// Held describes whether and why a container is kept.
type Held struct {
	// Why is the reason why the container is kept, as a clause. It is empty if the container is deleted.
	Why string
	// Unchecked reports that the container is kept only because a cluster could not be checked. A removal must then fail, so that the container does not remain
	// permanently.
	Unchecked bool
	// Occupants are the placements that must be removed before the container is deleted, and that the run may remove. If there are any, Why is empty.
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

// reasonToKeep returns whether and why a container is kept. A container that is already being deleted is not kept.
func (p *Prediction) reasonToKeep(ctx context.Context, cluster *kube.Cluster, container *Container) (Held, error) {
	if container.Live.GetDeletionTimestamp() != nil {
		return Held{}, nil
	}
	if container.IsNamespace() && convert.Orphan(p.Placement.Spec) == v1alpha1.OrphanAll {
		return Held{Why: "the propagation policy is Abandon, which KubeAdmiral ignores for the Namespaces that it created: it deletes them on the members"}, nil
	}
	placed := &engine.Contents{}
	for _, o := range p.Objects {
		if container.is.Holds(o.Identifier) {
			placed.Add(o.Identifier)
		}
	}
	if !placed.Empty() {
		return Held{Why: placed.Obstacle() + ", which the placement still places"}, nil
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

// Check reads the contents of a container again, and returns whether and why the container is kept. If the prediction has already found a reason, Check
// returns that reason. Call it immediately before the deletion of the container: the release of the objects in the container can take a long time.
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

// onHost returns whether the objects in a container on the host are a reason to keep the container. It ignores the control plane's own objects about placed
// objects, because they are deleted together with the placed objects.
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

// heldBy returns whether the contents of a container are a reason to keep the container. where names the cluster of the contents.
func heldBy(contents *engine.Contents, where string) Held {
	if contents.Empty() {
		return Held{Occupants: contents.First}
	}
	return Held{Why: contents.Obstacle() + " on " + where, Unchecked: contents.Unchecked() != nil}
}

// onMembers reads the other objects in a container on the members on which the host would delete the container. It returns whether these objects, or a member
// that could not be checked, are a reason to keep the container.
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

// contains reads the other objects in a container on the cluster again, and returns whether they are a reason to keep the container.
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

// holds returns whether the contents of a container on the cluster, as the prediction has read them, are a reason to keep the container. Unknown contents are
// a reason, too.
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

func (c *Cluster) uncheckedReason() string {
	return c.Name + " could not be checked, and KubeAdmiral would delete all contents on this cluster"
}
