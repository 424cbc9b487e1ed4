package kube

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// pageSize is the number of objects asked for in one request of a list.
const pageSize = 500

// Get reads one object. An absent one is an error for which IsNotFound holds.
func (c *Cluster) Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	ref := Ref{GVK: gvk, Namespace: namespace, Name: name}
	return call(ctx, c, opRead, ref, func(clients *clients) (*unstructured.Unstructured, error) {
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
		client, err := c.resource(ctx, clients, gvk, namespace)
		if err != nil {
			return nil, err
		}
		return list(ctx, client, labelSelector, func(string) bool { return true })
	})
}

// list returns the objects whose name is wanted. The others are dropped page by page, so that they take no memory.
func list(ctx context.Context, client dynamic.ResourceInterface, selector string, wanted func(name string) bool) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	options := metav1.ListOptions{LabelSelector: selector, Limit: pageSize}
	for {
		page, err := client.List(ctx, options)
		if apierrors.IsResourceExpired(err) && options.Continue != "" {
			// The snapshot that the pages come from was compacted away. All at once needs none.
			objects, options.Continue, options.Limit = nil, "", 0
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			if wanted(page.Items[i].GetName()) {
				objects = append(objects, &page.Items[i])
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return objects, nil
		}
	}
}
