package kube

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// sharedGet does the same as Get with answers from a cached list or a cached Get.
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

// sharedListFor returns the cached list that covers an object, or nil. It returns nil if the object has been read on its own, or if the
// context requires a new read.
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
