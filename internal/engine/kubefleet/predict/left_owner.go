package predict

import (
	"context"
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// An agent that takes an object over on its own, as with allow_co_ownership, adds its owner reference and keeps those of other placements. If an apply is
// killed before the engine moves the object, the object has both the giver and the taker as owners. A later apply removes the giver.

// LeftOwner is an object of the placement with an owner reference, or the annotation of a removal, that another placement left.
type LeftOwner struct {
	Cluster string
	manifest.Identifier
	// GVR is the resource under which the member serves the object.
	GVR schema.GroupVersionResource
	// WithoutWork is the AppliedWork without a Work that owns the object, or "".
	WithoutWork string
}

func (l LeftOwner) String() string {
	return fmt.Sprintf("AppliedWork %q of %s on %q", l.WithoutWork, l.Identifier, l.Cluster)
}

// LeftOwners lists the objects of the placement on which another placement left an owner.
func (p *Prediction) LeftOwners() []LeftOwner {
	var out []LeftOwner
	for _, c := range p.Clusters {
		for _, item := range c.left {
			out = append(out, LeftOwner{Cluster: c.Name, Identifier: item.Identifier, GVR: item.Mapping.GVR, WithoutWork: c.withoutWork(item.Live)})
		}
	}
	return out
}

// HasLeftOwners reports whether LeftOwners lists any.
func (p *Prediction) HasLeftOwners() bool { return len(p.LeftOwners()) > 0 }

// findLeftOwners returns the objects of the placement on which another placement left an owner.
func (c *Cluster) findLeftOwners() []*memberpreview.Object {
	return slices.DeleteFunc(slices.Clone(c.Items), func(item *memberpreview.Object) bool {
		if item.Live == nil {
			return true
		}
		_, _, has := c.WithoutLeft(item.Live)
		return !has
	})
}

// withoutWork returns the AppliedWork without a Work that owns an object of the placement; "" for none.
func (c *Cluster) withoutWork(live *unstructured.Unstructured) string {
	for _, ref := range live.GetOwnerReferences() {
		if c.ownership.IsWithoutWork(ref) {
			return ref.Name
		}
	}
	return ""
}

// stoppedAgentDanger warns that an agent neither applies an object that still has the owner reference of another placement, nor removes that reference.
func (p *Prediction) stoppedAgentDanger() *engine.Danger {
	stopped := slices.DeleteFunc(p.LeftOwners(), func(left LeftOwner) bool { return left.WithoutWork == "" })
	if len(stopped) == 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("resource_selectors"), Title: "owner references stop an agent", Message: "The member agent does not apply an object with an owner " +
		"AppliedWork whose Work is no longer on the hub, and does not remove the owner. The apply removes these owner references and keeps the objects: " + engine.Some(stopped) + "."}
}

// WithoutLeft returns the owners of an object, and the value of its annotation, without the owner references that other placements left behind. has is false
// if there are none, and for an object without the owner reference of this placement.
func (c *Cluster) WithoutLeft(live *unstructured.Unstructured) (owners []metav1.OwnerReference, handedBy string, has bool) {
	if live.GetDeletionTimestamp() != nil || !c.keeps(live) {
		return nil, "", false
	}
	before := live.GetOwnerReferences()
	owners = slices.DeleteFunc(slices.Clone(before), func(ref metav1.OwnerReference) bool { return c.leftBehind(live, ref) })
	handedBy = agent.HandedBy(live)
	if has = c.hasLeft(handedBy, live); has {
		handedBy = ""
	}
	return owners, handedBy, has || len(owners) < len(before)
}

// keeps reports whether an object has the owner reference of a Work of the placement that keeps it.
func (c *Cluster) keeps(live *unstructured.Unstructured) bool {
	return c.ownership != nil && !c.onlyReports() && c.ownership.Holds(live, agent.Retain)
}

// leftBehind reports whether an owner reference of an object of the placement is one that another placement left: the second owner of a removal, the
// AppliedWork of a giver, or an AppliedWork without a Work. The garbage collector does not remove them, because those owners exist, and the agent does not
// apply an object that has one.
func (c *Cluster) leftBehind(live *unstructured.Unstructured, ref metav1.OwnerReference) bool {
	if !c.keeps(live) {
		return false
	}
	if agent.IsKeeper(live.GetNamespace(), ref) {
		return c.hasLeft(agent.HandedBy(live), live)
	}
	if ref.APIVersion != agent.APIVersion || ref.Kind != agent.AppliedWork {
		return false
	}
	if c.ownership.IsWithoutWork(ref) {
		return true
	}
	return slices.ContainsFunc(c.prediction.givers, func(from giver) bool {
		_, has := from.works[c.Name][ref.Name]
		return has && c.others(from.Name).isWithout(live)
	})
}

// hasLeft reports whether another placement no longer places an object: it is gone, is being deleted, or is a giver whose Works do not contain the object.
func (c *Cluster) hasLeft(name string, live *unstructured.Unstructured) bool {
	if name == "" || name == c.prediction.Placement.Reference.String() {
		return false
	}
	other := c.others(name)
	if other.gone {
		return true
	}
	named := slices.ContainsFunc(c.prediction.givers, func(from giver) bool { return from.Name == name })
	return named && other.isWithout(live)
}

// other is the state of another placement for one cluster.
type other struct {
	// gone reports that the hub does not have the placement, or deletes it.
	gone bool
	// places are the objects in its Works for the cluster.
	places map[manifest.Key]bool
	// err is the reason why the placement could not be read.
	err error
}

// isWithout reports whether none of the Works has an object. A placement that could not be read may have it.
func (o other) isWithout(live *unstructured.Unstructured) bool {
	return o.err == nil && !o.places[manifest.NewObject(live, nil).Key()]
}

// others reads another placement on first use.
type others func(name string) other

func newOthers(ctx context.Context, cluster *kube.Cluster, member string) others {
	var mu sync.Mutex
	known := map[string]other{}
	return func(name string) other {
		mu.Lock()
		defer mu.Unlock()
		out, found := known[name]
		if !found {
			out.gone, out.places, out.err = readOther(ctx, cluster, member, engine.ParseReference(name))
			known[name] = out
		}
		return out
	}
}

// readOther reads whether a placement is gone, and the objects in its Works for a member that are not being deleted.
func readOther(ctx context.Context, cluster *kube.Cluster, member string, of engine.Reference) (gone bool, places map[manifest.Key]bool, err error) {
	found, _, err := hub.Placement(ctx, cluster, of)
	if err != nil {
		return false, nil, err
	}
	works, err := hub.List[wire.Work](ctx, cluster, hub.Work, hub.MemberNamespacePrefix+member, hub.WorksOf(of))
	if err != nil {
		return false, nil, err
	}
	places = map[manifest.Key]bool{}
	for _, work := range works {
		if work.DeletionTimestamp != nil {
			continue
		}
		objects, err := convert.Manifests(work)
		if err != nil {
			return false, nil, err
		}
		for _, object := range objects {
			places[object.Key()] = true
		}
	}
	return found == nil || found.DeletionTimestamp != nil, places, nil
}
