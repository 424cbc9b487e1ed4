package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Get reads one object. If it does not exist, Get returns an error for which IsNotFound holds.
func (c *Cluster) Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	ref := Ref{GVK: gvk, Namespace: namespace, Name: name}
	return call(ctx, c, opRead, ref, func(clients *clients) (*unstructured.Unstructured, error) {
		if c.isShared(ctx) {
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
