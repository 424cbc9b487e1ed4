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

// GetMany reads many objects with few requests: up to three of one kind and namespace by GET, more by one LIST of them, at most
// Options.Workers requests at a time. An absent object is in neither of the maps; errs has those that could not be looked at.
func (c *Cluster) GetMany(ctx context.Context, refs []Ref) (found map[Ref]*unstructured.Unstructured, errs map[Ref]error) {
	reading := &manyReads{cluster: c, found: map[Ref]*unstructured.Unstructured{}, errs: map[Ref]error{}}
	var group errgroup.Group
	group.SetLimit(c.options.Workers)
	for key, members := range grouped(refs) {
		if len(members) > listAbove {
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
	objects, err := m.listNamed(ctx, key, byName)
	if apierrors.IsForbidden(err) {
		// An account may be allowed to get what it is not allowed to list.
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

func (m *manyReads) listNamed(ctx context.Context, key groupKey, byName map[string]Ref) ([]*unstructured.Unstructured, error) {
	c := m.cluster
	return call(ctx, c, opList, Ref{GVK: key.gvk, Namespace: key.namespace}, func(clients *clients) ([]*unstructured.Unstructured, error) {
		// object, not resource: a namespaced kind without a namespace would list all namespaces, and mix equal names up.
		client, err := c.object(ctx, clients, Ref{GVK: key.gvk, Namespace: key.namespace, Name: "any"})
		if err != nil {
			return nil, err
		}
		return list(ctx, client, "", func(name string) bool { _, wanted := byName[name]; return wanted })
	})
}

// rootOf returns what an *Error wraps, to be dressed anew for another object.
func rootOf(err error) error {
	if dressed, ok := err.(*Error); ok { //nolint:errorlint // call returns nothing else
		return dressed.Err
	}
	return err
}
