package memberpreview

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// read reads the live objects. It returns an error if the cluster is unreachable; an error that concerns one object is stored in that object.
func (m *Member) read(ctx context.Context, objects []*Object) error {
	refs, seen := map[kube.Ref][]*Object{}, map[kube.Ref]kube.Seen{}
	for _, o := range objects {
		ref, err := m.locate(ctx, o)
		switch {
		case kube.IsUnknownKind(err):
			if err := m.checkGone(ctx, o); clusterset.IsUnavailable(err) {
				return clusterset.Unreachable(m.Cluster.Name(), err)
			}
		case clusterset.IsUnavailable(err):
			return clusterset.Unreachable(m.Cluster.Name(), err)
		case err != nil:
			o.Unseen = err
		case o.namespaceProblem() == "":
			refs[ref] = append(refs[ref], o)
			if last := m.lastSeen(o); last != (kube.Seen{}) {
				seen[ref] = last
			}
		}
	}
	maps.DeleteFunc(seen, func(ref kube.Ref, _ kube.Seen) bool { return len(refs[ref]) > 1 }) // another Object may need the content
	found, errs := m.Cluster.GetChanged(ctx, slices.Collect(maps.Keys(refs)), seen)
	for ref, err := range errs {
		if clusterset.IsUnavailable(err) {
			return clusterset.Unreachable(m.Cluster.Name(), err)
		}
		for _, o := range refs[ref] {
			if kube.IsUnknownKind(err) { // discovery still listed the kind
				o.Mapping = kube.Mapping{}
				if err := m.checkGone(ctx, o); clusterset.IsUnavailable(err) {
					return clusterset.Unreachable(m.Cluster.Name(), err)
				}
				continue
			}
			o.Unseen = err
		}
	}
	for ref, live := range found {
		for _, o := range refs[ref] {
			if o.WillBeGone = m.WillBeGone != nil && m.WillBeGone(o.Identifier, live); o.WillBeGone {
				continue
			}
			o.Live, o.Exists = live, true
			o.Glimpsed = seen[ref] != (kube.Seen{}) && seen[ref] == kube.Seen{UID: string(live.GetUID()), ResourceVersion: live.GetResourceVersion()}
		}
	}
	return nil
}

// checkGone handles an object whose kind discovery does not list. It does nothing for a desired object, which waits for its kind. An object that is no longer
// placed counts as deleted only if a check finds that the cluster does not serve the kind. Otherwise, it counts as unread, and checkGone returns the reason.
func (m *Member) checkGone(ctx context.Context, o *Object) error {
	if o.Desired != nil {
		return nil
	}
	kind := o.GroupVersionKind().GroupKind()
	if m.unserved == nil {
		m.unserved = map[schema.GroupKind]error{}
	}
	err, isKnown := m.unserved[kind]
	if !isKnown {
		err = m.Cluster.CheckUnserved(ctx, kind)
		m.unserved[kind] = err
	}
	o.Unseen = err
	return err
}

// reread reads an object again, and checks the permission that it needs now. It returns an error if the cluster is unreachable. After any other error of the
// read, the object keeps its previous state.
func (m *Member) reread(ctx context.Context, o *Object) error {
	namespace := ""
	if o.Mapping.Namespaced {
		namespace = o.Namespace
	}
	live, err := m.Cluster.Get(kube.ReadUnshared(ctx), o.GroupVersionKind(), namespace, o.Name)
	switch {
	case clusterset.IsUnavailable(err):
		return clusterset.Unreachable(m.Cluster.Name(), err)
	case err == nil:
		o.Live, o.Exists = live, true
	case kube.IsNotFound(err):
		o.Live, o.Exists = nil, false
	}
	return m.recheckPermission(ctx, o)
}

// lastSeen returns the last seen version of the object, or the zero value if its content is needed even in this version.
func (m *Member) lastSeen(o *Object) kube.Seen {
	if o.Desired == nil || m.isReportDiff() || m.Strategy.ComparisonOption.ComparesAllFields() {
		return kube.Seen{}
	}
	return m.Ownership.LastSeen(o)
}

// locate sets the mapping of an object and returns the reference by which the object is read.
func (m *Member) locate(ctx context.Context, o *Object) (kube.Ref, error) {
	ref := kube.Ref{GVK: o.GroupVersionKind(), Name: o.Name}
	mapping, err := m.Cluster.Resolve(ctx, ref.GVK)
	if kube.IsUnknownKind(err) && o.Desired == nil {
		// The cluster may no longer serve the API version with which an object was placed, although the object still exists.
		if other, found := m.otherVersion(ctx, ref.GVK); found {
			ref.GVK = other
			mapping, err = m.Cluster.Resolve(ctx, other)
		}
	}
	if err != nil {
		return ref, err
	}
	o.Mapping = mapping
	if mapping.Namespaced {
		ref.Namespace = o.Namespace
	}
	return ref, nil
}

func (m *Member) otherVersion(ctx context.Context, gvk schema.GroupVersionKind) (schema.GroupVersionKind, bool) {
	kinds, err := m.Cluster.Kinds(ctx)
	if err != nil {
		return gvk, false
	}
	for _, kind := range kinds {
		if kind.Group == gvk.Group && kind.Kind == gvk.Kind {
			return kind.GVK(), true
		}
	}
	return gvk, false
}

// namespaceProblem returns the problem of an object whose namespace does not fit the scope of its kind, or "" for other objects. The API server would only
// return "not found".
func (o *Object) namespaceProblem() string {
	switch {
	case o.Desired == nil || !o.Served():
		return ""
	case o.Mapping.Namespaced && o.Namespace == "":
		return fmt.Sprintf("the manifest has no metadata.namespace, and %s is a namespaced kind", o.Kind)
	case !o.Mapping.Namespaced && o.Namespace != "":
		return fmt.Sprintf("the manifest has metadata.namespace %q, and %s is a cluster-scoped kind", o.Namespace, o.Kind)
	default:
		return ""
	}
}

// blocked returns the decision about an object that cannot be checked, or nil. An object whose kind is not served is blocked unless its kind is arriving; see
// isArriving.
func (m *Member) blocked(o *Object) *takeover.Decision {
	reject := func(obstacle takeover.Obstacle, reason, problem string) *takeover.Decision {
		return new(takeover.Rejected(obstacle, reason, problem))
	}
	switch {
	case o.Unseen != nil:
		return reject(takeover.ObstacleNotReadable, takeover.ReasonFailedToFindObjInMemberCluster, o.Unseen.Error())
	case !o.Served() && !m.isArriving(o.GroupVersionKind()):
		return new(o.NotServed())
	case o.namespaceProblem() != "":
		return reject(takeover.ObstacleNotServed, takeover.ReasonDecodingErred, o.namespaceProblem())
	default:
		return nil
	}
}

// NotServed returns the decision about an object whose kind the cluster does not serve.
func (o *Object) NotServed() takeover.Decision {
	return takeover.Rejected(takeover.ObstacleNotServed, takeover.ReasonDecodingErred, fmt.Sprintf("failed to decode manifest: failed to find GVR from "+
		"member cluster client REST mapping: the cluster does not serve kind %s of %s", o.Kind, o.GroupVersionKind().GroupVersion()))
}

// isArriving reports whether this placement or another placement of the run defines a kind that is not served, or the apply waits for the kind.
func (m *Member) isArriving(kind schema.GroupVersionKind) bool {
	return m.Defines != nil && m.Defines(kind) || m.broughtBy(kind) != "" || m.AwaitsKinds && !m.isReportDiff()
}

// broughtBy returns the other placement of the run that creates a kind. It returns "" if none is known, or if this placement defines the kind.
func (m *Member) broughtBy(kind schema.GroupVersionKind) string {
	if m.ProviderOfKind == nil || m.Defines != nil && m.Defines(kind) {
		return ""
	}
	return m.ProviderOfKind(kind)
}
