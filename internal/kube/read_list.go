package kube

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// List reads the objects of a kind page by page, in one namespace, or in all namespaces if namespace is empty. labelSelector is a label
// selector as in kubectl -l; empty selects all objects.
func (c *Cluster) List(
	ctx context.Context, gvk schema.GroupVersionKind, namespace, labelSelector string,
) ([]*unstructured.Unstructured, error) {
	return call(ctx, c, opList, Ref{GVK: gvk, Namespace: namespace}, func(clients *clients) ([]*unstructured.Unstructured, error) {
		mapping, err := c.resolve(ctx, clients, gvk)
		if err != nil {
			return nil, err
		}
		lister := newLister(clients.rest, mapping, namespace, labelSelector)
		if !c.isShared(ctx) {
			return lister.list(ctx, listFilter{})
		}
		objects, _, err := c.sharedList(ctx, lister, readKey{Ref{GVK: gvk, Namespace: namespace}, labelSelector}, false, listFilter{})
		return objects, err
	})
}

// Each is like List without a selector, but keeps no objects in memory, so that lists can be very long, and is never a shared read. It calls visit for every
// object. If the continue token expires, it calls restart and lists from the start: the caller must then discard all earlier objects.
func (c *Cluster) Each(
	ctx context.Context, gvk schema.GroupVersionKind, namespace string, restart func(), visit func(*unstructured.Unstructured),
) error {
	_, err := call(ctx, c, opList, Ref{GVK: gvk, Namespace: namespace}, func(clients *clients) (struct{}, error) {
		mapping, err := c.resolve(ctx, clients, gvk)
		if err != nil {
			return struct{}{}, err
		}
		var failed error
		err = newLister(clients.rest, mapping, namespace, "").pages(ctx, restart, func(page *rawPage) bool {
			for _, raw := range page.Items {
				var object *unstructured.Unstructured
				if object, failed = raw.decode(); failed != nil {
					return false
				}
				visit(object)
			}
			return true
		})
		if err == nil {
			err = failed
		}
		return struct{}{}, err
	})
	return err
}
