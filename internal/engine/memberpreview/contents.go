package memberpreview

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Deleted contains the UIDs of a member's objects that are deleted in any case or no longer exist. [Member.Contents] adds the objects that are deleted with
// them.
type Deleted map[types.UID]bool

// Contents returns the objects that the deletion of container, a Namespace or a CustomResourceDefinition, would delete as well. going contains the objects
// that are deleted in any case. Contents does not count these objects. It also does not count the following objects, and adds them to going:
//   - objects that are garbage-collected with deleted owners, over any number of owner references;
//   - objects that are being deleted, and objects that the cluster has yet to garbage-collect because their owners no longer exist;
//   - Endpoints of deleted Services, and token Secrets of deleted ServiceAccounts;
//   - objects that exist in every Namespace: the ServiceAccount default and the ConfigMaps kube-root-ca.crt, openshift-service-ca.crt and istio-ca-root-cert.
//
// Contents does not list Events and Leases. It returns an error if the cluster is unreachable. The result names the first kinds that could not be listed.
func (m *Member) Contents(ctx context.Context, container source.Container, going Deleted) (*engine.Contents, error) {
	return m.ContentsAfter(ctx, container, going, nil)
}

// A First returns the placement that is removed earlier and whose removal deletes the object, or "" if there is none.
type First func(object manifest.Identifier, meta metav1.ObjectMeta) (placement string)

// ContentsAfter returns what [Member.Contents] will return after other placements are removed, and the names of these placements in [engine.Contents.First].
// first is nil if no placement is removed earlier.
func (m *Member) ContentsAfter(ctx context.Context, container source.Container, going Deleted, first First) (*engine.Contents, error) {
	found, err := m.list(ctx, container, first)
	if err == nil && found.mayHaveLeftovers(going) {
		before := found
		if found, err = m.list(ctx, container, first); err == nil {
			found.before = before.uids
		}
	}
	if err != nil {
		return nil, err
	}
	return found.result(going), nil
}

func (m *Member) list(ctx context.Context, container source.Container, first First) (*contents, error) {
	found := &contents{
		member: m, container: container, first: first,
		uids: map[types.UID]bool{}, listed: map[schema.GroupKind]bool{}, denied: map[string]error{}, failed: map[string]error{},
	}
	kinds, err := found.kinds(ctx)
	if err != nil {
		return nil, clusterset.Unreachable(m.Cluster.Name(), err)
	}
	if err := found.unavailable(ctx); err != nil {
		return nil, err
	}
	var group errgroup.Group
	group.SetLimit(kube.MaxParallel)
	for _, kind := range kinds {
		group.Go(func() error { return found.list(ctx, kind) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return found, found.checkUnserved(ctx)
}

// contents is the result of listing a container once.
type contents struct {
	member    *Member
	container source.Container
	first     First

	mu    sync.Mutex
	found []content
	// uids are the UIDs of the found objects. listed are the kinds that were listed.
	uids   map[types.UID]bool
	listed map[schema.GroupKind]bool
	// before are the UIDs of the objects in the first list, if the container was listed twice.
	before map[types.UID]bool
	// denied are the kinds that the credentials or the API server do not allow to list. failed are the kinds whose lists failed for another reason, so that a
	// later attempt may succeed. The values are the errors.
	denied, failed map[string]error
}

type content struct {
	manifest.Identifier
	meta metav1.ObjectMeta
}

// kinds returns the kinds whose objects are deleted with the container. For a definition whose kind the discovery cache does not have, it resets the cache.
func (c *contents) kinds(ctx context.Context) ([]kube.Kind, error) {
	kinds, err := c.member.Cluster.Kinds(ctx)
	if err == nil && c.container.Namespace == "" && !slices.ContainsFunc(kinds, c.isDeleted) {
		c.member.Cluster.ResetDiscovery()
		kinds, err = c.member.Cluster.Kinds(ctx)
	}
	return slices.DeleteFunc(kinds, func(kind kube.Kind) bool { return !c.isDeleted(kind) }), err
}

// isDeleted reports whether objects of a kind are deleted with the container, and are worth counting. A kind without the verb delete, such as metrics, has no
// stored objects.
func (c *contents) isDeleted(kind kube.Kind) bool {
	if c.container.Namespace == "" {
		return kind.Group == c.container.Kind.Group && kind.Kind == c.container.Kind.Kind
	}
	return kind.Namespaced && slices.Contains(kind.Verbs, "list") && slices.Contains(kind.Verbs, "delete") && !passing(kind)
}

// passing reports whether objects of a kind are transient, so that their deletion does not matter.
func passing(kind kube.Kind) bool {
	return kind.Kind == "Event" && (kind.Group == "" || kind.Group == "events.k8s.io") || kind.Kind == "Lease" && kind.Group == "coordination.k8s.io"
}

// result returns the found objects without those that are deleted in any case; it adds these to going. It also omits objects that other placements delete
// earlier. It does not add these to going, because the other placement can still keep them on the cluster.
func (c *contents) result(going Deleted) *engine.Contents {
	c.addOwned(going)
	first := map[string]bool{}
	if c.first != nil {
		going = maps.Clone(going)
		for _, object := range c.found {
			if name := c.first(object.Identifier, object.meta); name != "" {
				going[object.meta.UID], first[name] = true, true
			}
		}
		c.addOwned(going)
	}
	slices.SortFunc(c.found, func(a, b content) int {
		return strings.Compare(a.Kind+" "+a.Namespace+"/"+a.Name, b.Kind+" "+b.Namespace+"/"+b.Name)
	})
	// An object that is owned by one of the found objects is created and deleted with its owner.
	isOwned := func(object content) bool {
		return slices.ContainsFunc(object.meta.OwnerReferences, func(owner metav1.OwnerReference) bool { return c.uids[owner.UID] })
	}
	out, counted := &engine.Contents{First: slices.Sorted(maps.Keys(first))}, map[types.UID]bool{}
	for _, object := range c.found {
		if uid := object.meta.UID; !going[uid] && !counted[uid] { // several API groups can serve the same object
			counted[uid] = true
			if !isOwned(object) {
				out.AddRoot(object.Identifier, object.meta.UID)
			} else {
				out.Add(object.Identifier)
			}
		}
	}
	out.Incomplete = len(c.failed) > 0
	for _, unseen := range []map[string]error{c.failed, c.denied} {
		for _, kind := range slices.Sorted(maps.Keys(unseen)) {
			out.AddUnseen(kind, unseen[kind])
		}
	}
	return out
}

// addOwned adds to going the found objects that belong to it, over any number of owner references; see belongs.
func (c *contents) addOwned(going Deleted) {
	for more := true; more; {
		more = false
		for _, object := range c.found {
			if !going[object.meta.UID] && c.belongs(object, going) {
				going[object.meta.UID], more = true, true
			}
		}
	}
}

// belongs reports whether an object need not be counted: it is deleted with the objects in going, it is being deleted, its owners no longer exist, or the
// cluster creates it in every Namespace.
func (c *contents) belongs(o content, going Deleted) bool {
	core := func(kind string) bool { return o.Group == "" && o.Kind == kind }
	switch account := o.meta.Annotations[serviceAccountAnnotation]; {
	case o.meta.DeletionTimestamp != nil:
		return true
	case core("ServiceAccount") && o.Name == "default", core("ConfigMap") && slices.Contains(workload.MadeEverywhere, o.Name):
		return true
	case core("Secret") && account != "":
		return c.vanishes("ServiceAccount", account, going) || c.isLeftover(o)
	case core("Endpoints"):
		return c.vanishes("Service", o.Name, going) || c.isLeftover(o)
	case len(o.meta.OwnerReferences) == 0:
		return false
	}
	return !slices.ContainsFunc(o.meta.OwnerReferences, func(owner metav1.OwnerReference) bool {
		return !going[owner.UID] && (!c.before[o.meta.UID] || !c.isAbsent(owner))
	})
}

const serviceAccountAnnotation = "kubernetes.io/service-account.name"

// vanishes reports whether the list has the object of the core group with this kind and name, and going contains it.
func (c *contents) vanishes(kind, name string, going Deleted) bool {
	return slices.ContainsFunc(c.found, func(o content) bool {
		return o.Group == "" && o.Kind == kind && o.Name == name && going[o.meta.UID]
	})
}
