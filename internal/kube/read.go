package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// pageSize is the number of objects asked for in one request of a list.
const pageSize = 500

// Get reads one object. An absent one is an error for which IsNotFound holds.
func (c *Cluster) Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	ref := Ref{GVK: gvk, Namespace: namespace, Name: name}
	return call(ctx, c, opRead, ref, func(clients *clients) (*unstructured.Unstructured, error) {
		if c.shares(ctx) {
			return c.sharedGet(ctx, clients, ref)
		}
		return c.get(ctx, clients, ref)
	})
}

func (c *Cluster) get(ctx context.Context, clients *clients, ref Ref) (*unstructured.Unstructured, error) {
	client, err := c.object(ctx, clients, ref)
	if err != nil {
		return nil, err
	}
	return client.Get(ctx, ref.Name, metav1.GetOptions{})
}

// List reads the objects of a kind, in one namespace or with an empty namespace in all, page by page. The selector is a label selector
// as in kubectl -l; empty selects all.
func (c *Cluster) List(ctx context.Context, gvk schema.GroupVersionKind, namespace, labelSelector string) ([]*unstructured.Unstructured, error) {
	return call(ctx, c, opList, Ref{GVK: gvk, Namespace: namespace}, func(clients *clients) ([]*unstructured.Unstructured, error) {
		mapping, err := c.resolve(ctx, clients, gvk)
		if err != nil {
			return nil, err
		}
		lister := newLister(clients.rest, mapping, namespace, labelSelector)
		if !c.shares(ctx) {
			return lister.list(ctx, wish{})
		}
		objects, _, err := c.sharedList(ctx, lister, readKey{Ref{GVK: gvk, Namespace: namespace}, labelSelector}, false, wish{})
		return objects, err
	})
}
