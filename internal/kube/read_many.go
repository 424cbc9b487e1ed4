package kube

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// GetMany reads many objects with few requests. It reads up to listAbove objects of one kind and namespace by GET, and more objects by one
// LIST, with at most MaxParallel requests in parallel. For shared reads (ShareReads), the objects of all callers count together. A missing
// object is in neither map. errs has the errors of the objects that could not be read.
func (c *Cluster) GetMany(ctx context.Context, refs []Ref) (found map[Ref]*unstructured.Unstructured, errs map[Ref]error) {
	return c.GetChanged(ctx, refs, nil)
}

// GetChanged is like GetMany, but a returned object that still has its version in seen may have only its kind, namespace, name, UID and
// resourceVersion. Decoding unchanged objects would take most of the time of a plan without changes.
func (c *Cluster) GetChanged(ctx context.Context, refs []Ref, seen map[Ref]Seen) (found map[Ref]*unstructured.Unstructured, errs map[Ref]error) {
	reading := &manyReads{cluster: c, seen: seen, found: map[Ref]*unstructured.Unstructured{}, errs: map[Ref]error{}}
	var group errgroup.Group
	group.SetLimit(MaxParallel)
	for key, members := range groupRefs(refs) {
		if !c.readsSingly(ctx, key, members) {
			group.Go(func() error { reading.list(ctx, key, members); return nil })
			continue
		}
		for _, ref := range members {
			group.Go(func() error { reading.get(ctx, ref); return nil })
		}
	}
	_ = group.Wait() // the functions return no errors: they record them by object
	return reading.found, reading.errs
}

func (c *Cluster) readsSingly(ctx context.Context, key groupKey, refs []Ref) bool {
	if c.isShared(ctx) {
		return c.shared.countSingly(key, refs)
	}
	return len(refs) <= listAbove
}

func groupRefs(refs []Ref) map[groupKey][]Ref {
	groups, seen := map[groupKey][]Ref{}, map[Ref]bool{}
	for _, ref := range refs {
		if !seen[ref] {
			seen[ref] = true
			key := groupKey{ref.GVK, ref.Namespace}
			groups[key] = append(groups[key], ref)
		}
	}
	return groups
}

type manyReads struct {
	cluster *Cluster
	seen    map[Ref]Seen
	mu      sync.Mutex
	found   map[Ref]*unstructured.Unstructured
	errs    map[Ref]error
}

func (m *manyReads) get(ctx context.Context, ref Ref) {
	object, err := m.cluster.Get(ctx, ref.GVK, ref.Namespace, ref.Name)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err == nil:
		m.found[ref] = object
	case !IsNotFound(err):
		m.errs[ref] = err
	}
}

func (m *manyReads) list(ctx context.Context, key groupKey, refs []Ref) {
	byName := make(map[string]Ref, len(refs))
	for _, ref := range refs {
		byName[ref.Name] = ref
	}
	objects, complete, err := m.listNamed(ctx, key, byName)
	if apierrors.IsForbidden(err) || err == nil && !complete {
		// An account may have the right to get objects but not to list them. For a few objects, a large list is too expensive.
		for _, ref := range refs {
			m.get(ctx, ref)
		}
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, ref := range refs {
		if err != nil {
			m.errs[ref] = m.cluster.wrap(opRead, ref, rootOf(err))
		}
	}
	for _, object := range objects {
		m.found[byName[object.GetName()]] = object
	}
}

// listNamed returns the named objects that exist. complete is false if the list was too large to be read for a few objects.
func (m *manyReads) listNamed(ctx context.Context, key groupKey, byName map[string]Ref) (
	objects []*unstructured.Unstructured, complete bool, err error,
) {
	c := m.cluster
	filter := listFilter{names: byName, seen: m.seen}
	objects, err = call(ctx, c, opList, Ref{GVK: key.gvk, Namespace: key.namespace}, func(clients *clients) ([]*unstructured.Unstructured, error) {
		// locate rejects a namespaced kind without a namespace: the list would have the objects of all namespaces, and objects with equal names would be confused.
		mapping, err := c.locate(ctx, clients, Ref{GVK: key.gvk, Namespace: key.namespace, Name: "any"})
		if err != nil {
			return nil, err
		}
		complete = true
		lister := newLister(clients.rest, mapping, key.namespace, "")
		if !c.isShared(ctx) {
			return lister.list(ctx, filter)
		}
		stopIfLarge := len(byName) <= listAbove
		found, large, err := c.sharedList(ctx, lister, readKey{Ref: Ref{GVK: key.gvk, Namespace: key.namespace}}, stopIfLarge, filter)
		complete = !stopIfLarge || !large
		return found, err
	})
	return objects, complete, err
}

// rootOf unwraps an *Error, so that its cause can be wrapped for another object.
func rootOf(err error) error {
	if wrapped, ok := err.(*Error); ok { //nolint:errorlint // call returns nothing else
		return wrapped.Err
	}
	return err
}
