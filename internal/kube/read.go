package kube

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

func (c *Cluster) isShared(ctx context.Context) bool {
	return c.shared.shareFor > 0 && sharingOf(ctx) != readsUnshared
}

func (c *Cluster) sharedGet(ctx context.Context, clients *clients, ref Ref) (*unstructured.Unstructured, error) {
	mapping, err := c.resolve(ctx, clients, ref.GVK)
	if err != nil {
		return nil, err
	}
	if list := c.sharedListFor(ctx, ref); list != nil {
		at, found := list.byName[ref.Name]
		if !found {
			return nil, apierrors.NewNotFound(schema.GroupResource{Group: mapping.GVR.Group, Resource: mapping.GVR.Resource}, ref.Name)
		}
		return list.items[at].decode()
	}
	got, err := c.shared.read(ctx, readKey{Ref: ref}, func() (*answer, error) {
		object, err := c.get(ctx, clients, ref)
		if IsNotFound(err) {
			return &answer{missing: err}, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := object.MarshalJSON()
		return &answer{items: []rawObject{{text: text}}, bytes: int64(len(text))}, err
	})
	switch {
	case err != nil:
		return nil, err
	case got.missing != nil:
		return nil, got.missing
	default:
		return got.items[0].decode()
	}
}

// sharedListFor returns the cached list that covers an object, or nil. It also returns nil if an answer for the object itself is cached, or if the context
// requires a new read.
func (c *Cluster) sharedListFor(ctx context.Context, ref Ref) *answer {
	if sharingOf(ctx) != readsShared || ref.Name == "" || c.shared.peek(readKey{Ref: ref}) != nil {
		return nil
	}
	list := c.shared.peek(readKey{Ref: Ref{GVK: ref.GVK, Namespace: ref.Namespace}})
	if list == nil || list.byName == nil {
		return nil
	}
	return list
}
