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

// With allow_co_ownership, an agent takes over an object that has the temporary owner of a removal, and keeps this owner. If an apply is killed before the
// engine moves such an object, the temporary owner remains. A later apply removes the temporary owner.

// LeftOwner is an object of the placement on which another placement has left an owner reference or the annotation [agent.HandedByAnnotation].
type LeftOwner struct {
	Cluster string
	manifest.Identifier
	GVR schema.GroupVersionResource
	// WithoutWork is the name of an owner of the object that is an AppliedWork without a Work, or "" if there is none.
	WithoutWork string
}

func (l LeftOwner) String() string {
	return fmt.Sprintf("AppliedWork %q of %s on %q", l.WithoutWork, l.Identifier, l.Cluster)
}

// LeftOwners lists the objects of the placement on which another placement has left an owner reference or an annotation.
func (p *Prediction) LeftOwners() []LeftOwner {
	var out []LeftOwner
	for _, c := range p.Clusters {
		for _, item := range c.left {
			out = append(out, LeftOwner{Cluster: c.Name, Identifier: item.Identifier, GVR: item.Mapping.GVR, WithoutWork: c.withoutWork(item.Live)})
		}
	}
	return out
}

// HasLeftOwners reports whether LeftOwners lists any object.
func (p *Prediction) HasLeftOwners() bool { return len(p.LeftOwners()) > 0 }

func (c *Cluster) findLeftOwners() []*memberpreview.Object {
	return slices.DeleteFunc(slices.Clone(c.Items), func(item *memberpreview.Object) bool {
		if item.Live == nil {
			return true
		}
		_, _, has := c.WithoutLeft(item.Live)
		return !has
	})
}

func (c *Cluster) withoutWork(live *unstructured.Unstructured) string {
	for _, ref := range live.GetOwnerReferences() {
		if c.ownership.IsWithoutWork(ref) {
			return ref.Name
		}
	}
	return ""
}

// stoppedAgentDanger warns that an agent does not apply an object with an owner reference to an AppliedWork without a Work.
func (p *Prediction) stoppedAgentDanger() *engine.Danger {
	stopped := slices.DeleteFunc(p.LeftOwners(), func(left LeftOwner) bool { return left.WithoutWork == "" })
	if len(stopped) == 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("resource_selectors"), Title: "owner references stop an agent", Message: "The member agent does not apply an object with an owner reference to an " +
		"AppliedWork whose Work is no longer on the hub, and does not remove the reference. The apply removes these owner references and keeps the objects: " + engine.Some(stopped) + "."}
}

// WithoutLeft returns the owner references of an object without those that other placements have left. handedBy is the value that [agent.HandedByAnnotation]
// must have. has reports whether the references or the annotation must be changed. It is false for an object that is being deleted, or for which keeps returns
// false.
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

// keeps reports whether an object is owned by an AppliedWork of the placement that retains it. It is false while the agent only reports.
func (c *Cluster) keeps(live *unstructured.Unstructured) bool {
	return c.ownership != nil && !c.onlyReports() && c.ownership.Holds(live, agent.Retain)
}

// leftBehind reports whether another placement has left an owner reference on an object of the placement. The reference is to the temporary owner of a removal,
// to the AppliedWork of a giver that no longer places the object, or to an AppliedWork without a Work. The garbage collector does not remove these references
// while the owners exist. The agent does not apply an object with a reference to another AppliedWork. Without allow_co_ownership, it does not apply an object
// with a temporary owner either.
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

// hasLeft reports whether the named placement no longer places an object: the placement does not exist, is being deleted, or is a giver whose Works do not
// contain the object. It returns false for "" and for the predicted placement itself.
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

type other struct {
	// gone reports that the placement does not exist on the hub, or is being deleted.
	gone bool
	// places are the objects in the Works of the placement for the cluster. Works that are being deleted do not count.
	places map[manifest.Key]bool
	// err is the reason why the state could not be read. If err is set, gone is false and places is nil.
	err error
}

// isWithout reports whether none of the Works contains an object. It returns false if the Works could not be read.
func (o other) isWithout(live *unstructured.Unstructured) bool {
	return o.err == nil && !o.places[manifest.NewObject(live, nil).Key()]
}

// others returns the state of the named placement for one cluster. It reads the state when it is first called with this name.
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
