package kube

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// listAbove is the number of objects of one kind and namespace above which one LIST takes the place of GETs.
const listAbove = 3

// Seen is an object as somebody saw it: while both are the same, all of it is.
type Seen struct{ UID, ResourceVersion string }

// GetMany reads many objects with few requests: up to three of one kind and namespace by GET, more by one LIST of them, at most
// Options.Workers requests at a time. Of reads that share (ShareReads) those of all callers count together. An absent object is in neither
// of the maps; errs has those that could not be looked at.
func (c *Cluster) GetMany(ctx context.Context, refs []Ref) (found map[Ref]*unstructured.Unstructured, errs map[Ref]error) {
	return c.GetChanged(ctx, refs, nil)
}

// GetChanged is GetMany for somebody who knows objects as they were: of one that is still what was seen, no more may be found than its
// kind, name, UID and resourceVersion. To decode what has not changed takes longer than all else in a plan without changes.
func (c *Cluster) GetChanged(ctx context.Context, refs []Ref, seen map[Ref]Seen) (found map[Ref]*unstructured.Unstructured, errs map[Ref]error) {
	reading := &manyReads{cluster: c, seen: seen, found: map[Ref]*unstructured.Unstructured{}, errs: map[Ref]error{}}
	var group errgroup.Group
	group.SetLimit(c.options.Workers)
	for key, members := range grouped(refs) {
		if !c.singly(ctx, key, members) {
			group.Go(func() error { reading.list(ctx, key, members); return nil })
			continue
		}
		for _, ref := range members {
			group.Go(func() error { reading.get(ctx, ref); return nil })
		}
	}
	_ = group.Wait() // the functions keep their errors by object
	return reading.found, reading.errs
}

// singly reports whether the objects of a group are to be read by GETs.
func (c *Cluster) singly(ctx context.Context, key groupKey, refs []Ref) bool {
	if c.shares(ctx) {
		return c.shared.singly(key, refs)
	}
	return len(refs) <= listAbove
}

type groupKey struct {
	gvk       schema.GroupVersionKind
	namespace string
}

// grouped sorts references by kind and namespace, each once. Those that no LIST can serve stand alone, to fail one by one.
func grouped(refs []Ref) map[groupKey][]Ref {
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

// manyReads collects what one GetMany finds.
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
		// An account may be allowed to get what it is not allowed to list, and a few objects are not worth a large list.
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

// listNamed returns those of the objects that exist. The result is not complete if the list was too large for them to be looked for.
func (m *manyReads) listNamed(ctx context.Context, key groupKey, byName map[string]Ref) (
	objects []*unstructured.Unstructured, complete bool, err error,
) {
	c := m.cluster
	wanted := wish{names: byName, seen: m.seen}
	objects, err = call(ctx, c, opList, Ref{GVK: key.gvk, Namespace: key.namespace}, func(clients *clients) ([]*unstructured.Unstructured, error) {
		// A namespaced kind without a namespace would list all namespaces, and mix equal names up.
		mapping, err := c.locate(ctx, clients, Ref{GVK: key.gvk, Namespace: key.namespace, Name: "any"})
		if err != nil {
			return nil, err
		}
		complete = true
		lister := newLister(clients.rest, mapping, key.namespace, "")
		if !c.shares(ctx) {
			return lister.list(ctx, wanted)
		}
		few := len(byName) <= listAbove
		found, large, err := c.sharedList(ctx, lister, readKey{Ref: Ref{GVK: key.gvk, Namespace: key.namespace}}, few, wanted)
		complete = !few || !large
		return found, err
	})
	return objects, complete, err
}

// rootOf returns what an *Error wraps, to be dressed anew for another object.
func rootOf(err error) error {
	if dressed, ok := err.(*Error); ok { //nolint:errorlint // call returns nothing else
		return dressed.Err
	}
	return err
}
