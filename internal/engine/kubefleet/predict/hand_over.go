package predict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

type giver struct {
	engine.Giver
	// works are the Works of the giver, by member name and Work name. The value reports whether the Work is being deleted.
	works map[string]map[string]bool
}

// readGivers reads the Works of the placements from which p takes objects over. It returns none for a placement that only reports differences.
func readGivers(ctx context.Context, cluster *kube.Cluster, p engine.Placement) ([]giver, error) {
	if p.Spec.Defaulted().Strategy.ApplyStrategy.Type == placement.ReportDiff {
		return nil, nil
	}
	var out []giver
	for _, from := range p.TakesOverFrom {
		works, err := hub.Works(ctx, cluster, "", hub.WorksOf(engine.ParseReference(from.Name)))
		if err != nil {
			return nil, err
		}
		one := giver{Giver: from, works: map[string]map[string]bool{}}
		for _, work := range works {
			member, found := strings.CutPrefix(work.Namespace, hub.MemberNamespacePrefix)
			if !found {
				continue
			}
			if one.works[member] == nil {
				one.works[member] = map[string]bool{}
			}
			one.works[member][work.Name] = work.DeletionTimestamp != nil
		}
		out = append(out, one)
	}
	return out, nil
}

// missingGivers returns the givers that have no Work and no object to hand over on any member.
func (p *Prediction) missingGivers() []string {
	var out []string
	for _, from := range p.givers {
		gives := func(o *memberpreview.Object) bool { return o.Given != nil && o.Given.From == from.Name }
		if len(from.works) == 0 && !slices.ContainsFunc(p.Clusters, func(c *Cluster) bool { return slices.ContainsFunc(c.Items, gives) }) {
			out = append(out, from.Name)
		}
	}
	return out
}

// giverOf returns the giver to which an owner reference of an object belongs, or nil if there is none. A giver hands over no object from a Work that is being
// deleted, because the object is deleted with the Work. The exception is an object to which the removal of the giver has added a temporary owner.
func (c *Cluster) giverOf(live *unstructured.Unstructured, ref metav1.OwnerReference) *giver {
	i := slices.IndexFunc(c.prediction.givers, func(from giver) bool {
		left := agent.HandedBy(live) == from.Name
		if agent.IsKeeper(live.GetNamespace(), ref) {
			return left
		}
		deleting, has := from.works[c.Name][ref.Name]
		return has && ref.APIVersion == agent.APIVersion && ref.Kind == agent.AppliedWork && (left || !deleting)
	})
	if i < 0 {
		return nil
	}
	return &c.prediction.givers[i]
}

// gives reports whether an owner reference of an object belongs to a giver, or is the temporary owner that an interrupted removal of the placement itself has
// left.
func (c *Cluster) gives(live *unstructured.Unstructured, ref metav1.OwnerReference) bool {
	return c.giverOf(live, ref) != nil || c.isOwnKeeper(live, ref)
}

// isOwnKeeper reports whether an owner reference is the temporary owner that an interrupted removal of the placement itself has left. The annotations identify
// it, because another client can have added an equal reference. If the removal had the propagation policy Abandon, isOwnKeeper returns false in two cases:
// during another attempt of the removal, which still needs the owner, and for an object that the agent would delete without the owner.
func (c *Cluster) isOwnKeeper(live *unstructured.Unstructured, ref metav1.OwnerReference) bool {
	own := c.prediction.Placement.Reference.String()
	switch {
	case !agent.IsKeeper(live.GetNamespace(), ref):
		return false
	case agent.HandedBy(live) != "":
		return agent.HandedBy(live) == own
	}
	return agent.KeptBy(live) == own && !c.prediction.Removing && c.ownership != nil && !c.ownership.Holds(live, agent.Release)
}

// Kept lists the objects from which an apply removes the temporary owner that an interrupted removal of the placement has left. It omits an object that belongs
// only to Works that are being deleted: without the temporary owner, the agent would delete the object. A later apply removes this owner, after the agent has
// released the object.
func (c *Cluster) Kept() []*memberpreview.Object {
	return slices.DeleteFunc(slices.Concat(c.Items, c.Leftovers), func(o *memberpreview.Object) bool {
		if o.Live == nil {
			return true
		}
		owners := o.Live.GetOwnerReferences()
		isKept := slices.ContainsFunc(owners, func(ref metav1.OwnerReference) bool { return c.isOwnKeeper(o.Live, ref) })
		return !isKept || !o.Owned && agent.IsHeld(owners)
	})
}

// given returns how a giver hands an object over, or nil if no giver owns the object. Created is always true, because a hub deletes all objects of a removed
// placement, including those that it took over.
func (c *Cluster) given(o *memberpreview.Object) *engine.Given {
	for _, ref := range o.Live.GetOwnerReferences() {
		if from := c.giverOf(o.Live, ref); from != nil {
			return &engine.Given{From: from.Name, UID: o.Live.GetUID(), Created: true, Removed: from.Removed}
		}
	}
	return nil
}

// Given is an object that the placement takes over from another one.
type Given struct {
	manifest.Identifier
	UID types.UID
	// GVR is the resource under which the member serves the object.
	GVR schema.GroupVersionResource
}

// Given lists the objects that the placement takes over from others, by cluster.
func (p *Prediction) Given() map[string][]Given {
	out := map[string][]Given{}
	for _, c := range p.Clusters {
		for _, item := range c.Items {
			if item.Action == takeover.ActionTakeOverFrom {
				out[c.Name] = append(out[c.Name], Given{Identifier: item.Identifier, UID: item.Given.UID, GVR: item.Mapping.GVR})
			}
		}
	}
	return out
}

// deniedHandOverDanger warns that the credentials of the provider do not allow a hand-over, which the provider itself writes on the members.
func (p *Prediction) deniedHandOverDanger() *engine.Danger {
	for _, c := range p.Clusters {
		var rights []string
		for _, o := range c.denied {
			rights = append(rights, engine.Right("patch", o.Mapping.GVR.GroupResource().String(), o.Namespace))
		}
		if len(rights) > 0 {
			slices.Sort(rights)
			return &engine.Danger{Path: placement.At("takes_over_from"), Title: "the credentials may not hand objects over", Message: fmt.Sprintf(
				"For a hand-over, the provider writes owner references on the members with its own credentials. The credentials for cluster %q do not allow this. The apply would write the placement, and "+
					"then end with an error. Before the apply, grant: %s.", c.Name, strings.Join(slices.Compact(rights), ", "))}
		}
	}
	return nil
}

// Gives reports whether an owner reference of an object on a cluster belongs to a giver, or is the temporary owner that an interrupted removal of the placement
// itself has left.
func (p *Prediction) Gives(cluster string, live *unstructured.Unstructured, ref metav1.OwnerReference) bool {
	c := p.Cluster(cluster)
	return c != nil && c.gives(live, ref)
}

func (c *Cluster) handedTo(o *memberpreview.Object) (to, problem string) {
	return c.prediction.options.Takers.HandedTo(c.prediction.options.Expected, c.Name, o.Key())
}

// checkTakers returns an [*engine.HandOverError] if the hub could delete an object that another placement takes over. This is possible in three cases: the
// cluster or the object could not be read, the agent would remove the temporary owner of the object, or the object is deleted with its Namespace or
// CustomResourceDefinition.
func (p *Prediction) checkTakers() error {
	for _, c := range p.Clusters {
		if taker := p.options.Takers.Unchecked(c.Name); c.Err != nil && taker != "" {
			return &engine.HandOverError{Giver: p.Placement.Reference.String(), Problem: fmt.Sprintf("placement %q takes over objects, but cluster %q could not be "+
				"checked for these objects: %v. The hub could delete them on this cluster. Restore the connection to the cluster, or make this change in a later apply", taker, c.Name, c.Err)}
		}
		for _, of := range c.Leftovers {
			if of.Action == takeover.ActionHandOver && of.Unseen != nil {
				return &engine.HandOverError{Giver: p.Placement.Reference.String(), Problem: fmt.Sprintf("placement %q may take over %s on cluster %q, which could not be read: "+
					"%v. The hub could delete it. Grant the right to read it, or leave this change for a later apply", of.To, of.Identifier, c.Name, of.Unseen)}
			}
			if of.Action == takeover.ActionHandOver && p.losesKeeper(of) {
				return &engine.HandOverError{Giver: p.Placement.Reference.String(), Problem: fmt.Sprintf("placement %q takes over %s on cluster %q. With allow_co_ownership, an agent that "+
					"applies client-side removes every owner reference but its own from custom resources, including the reference by which the removal keeps the object: the hub could "+
					"delete it. Before the removal, apply placement %q without apply_strategy.allow_co_ownership, or with apply_strategy.type = \"ServerSideApply\"",
					of.To, of.Identifier, c.Name, p.Placement.Reference)}
			}
			container, is := source.AsContainer(of.Identifier, of.Live)
			if !is || of.Action != takeover.ActionPrune {
				continue
			}
			i := slices.IndexFunc(c.Leftovers, func(o *memberpreview.Object) bool {
				return o.Action == takeover.ActionHandOver && container.Holds(o.Identifier)
			})
			if i >= 0 {
				return &engine.HandOverError{Giver: p.Placement.Reference.String(), Problem: fmt.Sprintf("on cluster %q the hub would delete %s and everything in it, including %s, "+
					"which placement %q takes over. Continue to place it with this placement (a Namespace with selection_scope = \"NamespaceOnly\"), or place it with %q as well",
					c.Name, of.Identifier, c.Leftovers[i].Identifier, c.Leftovers[i].To, c.Leftovers[i].To)}
			}
		}
	}
	return nil
}

// losesKeeper reports whether the agent of a placement that is going to be removed would remove the temporary owner of an object. The agent writes an object
// with a temporary owner only if allow_co_ownership is set. An agent that applies client-side merges the owner references of kinds with types in client-go, and
// replaces the whole list for other kinds.
func (p *Prediction) losesKeeper(o *memberpreview.Object) bool {
	if !p.Removing || !p.Remains() {
		return false
	}
	apply := convert.ToPlacementSpec(p.Fleet.Placement.Spec).Defaulted().Strategy.ApplyStrategy
	if apply.Type == placement.ServerSideApply || apply.AllowCoOwnership == nil || !*apply.AllowCoOwnership {
		return false
	}
	_, merges := objectschema.StrategicMerge(o.GroupVersionKind())
	return !merges
}

// Pending lists the objects that the placement hands over and that no taker has taken over yet. The agents of the placement would delete these objects.
func (p *Prediction) Pending() []engine.PendingHandOver {
	var out []engine.PendingHandOver
	for _, c := range p.Clusters {
		for _, o := range c.Leftovers {
			if o.Action == takeover.ActionHandOver {
				out = append(out, engine.PendingHandOver{Cluster: c.Name, Identifier: o.Identifier, To: o.To})
			}
		}
	}
	return out
}
