package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
)

// metadataOnly requests lists of metadata. A server that does not support this sends whole objects.
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

// metadataOfOne requests the metadata of one object, and does not accept the whole object.
const metadataOfOne = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// GetMetadata reads the metadata of one object. It never reads the content, which may be secret, and it is never a shared read. If the object
// does not exist, it returns an error for which IsNotFound holds.
func (c *Cluster) GetMetadata(ctx context.Context, ref Ref) (*metav1.ObjectMeta, error) {
	return call(ctx, c, opRead, ref, func(clients *clients) (*metav1.ObjectMeta, error) {
		mapping, err := c.locate(ctx, clients, ref)
		if err != nil {
			return nil, err
		}
		body, err := rawAnswer(clients.rest.Get().AbsPath(objectPath(mapping, ref)...).SetHeader("Accept", metadataOfOne).Do(ctx))
		if err != nil {
			return nil, err
		}
		var object metav1.PartialObjectMetadata
		if err := json.Unmarshal(body, &object); err != nil {
			return nil, &answerError{"the answer is not the JSON of an object"}
		}
		if object.Name != ref.Name || object.Namespace != ref.Namespace {
			return nil, &answerError{"the answer is about another object"}
		}
		return &object.ObjectMeta, nil
	})
}

// ListMetadata reads the metadata of the objects that List would select, page by page. The entries of managedFields have no FieldsV1. ListMetadata is never
// a shared read.
func (c *Cluster) ListMetadata(ctx context.Context, gvk schema.GroupVersionKind, namespace, labelSelector string) ([]metav1.ObjectMeta, error) {
	return listMetadata(ctx, c, gvk, namespace, labelSelector, lister.metadata)
}

// EachMetadata calls each for the metadata of every object that List would select, until each returns false. It keeps no metadata in memory, so that lists
// can be very long. It calls restart at the start, and again if the continue token expires: the caller must then discard all earlier metadata. The entries
// of managedFields have no FieldsV1. EachMetadata is never a shared read.
func (c *Cluster) EachMetadata(
	ctx context.Context, gvk schema.GroupVersionKind, namespace, labelSelector string, restart func(), each func(metav1.ObjectMeta) bool,
) error {
	_, err := listMetadata(ctx, c, gvk, namespace, labelSelector, func(l lister, ctx context.Context) (struct{}, error) {
		restart()
		return struct{}{}, l.eachMetadata(ctx, restart, each)
	})
	return err
}

func listMetadata[T any](
	ctx context.Context, c *Cluster, gvk schema.GroupVersionKind, namespace, labelSelector string, list func(lister, context.Context) (T, error),
) (T, error) {
	return call(ctx, c, opList, Ref{GVK: gvk, Namespace: namespace}, func(clients *clients) (T, error) {
		mapping, err := c.resolve(ctx, clients, gvk)
		if err != nil {
			var none T
			return none, err
		}
		return list(newLister(clients.rest, mapping, namespace, labelSelector), ctx)
	})
}

func (l lister) metadata(ctx context.Context) ([]metav1.ObjectMeta, error) {
	var found []metav1.ObjectMeta
	err := l.eachMetadata(ctx, func() { found = nil }, func(metadata metav1.ObjectMeta) bool {
		found = append(found, metadata)
		return true
	})
	return found, err
}

func (l lister) eachMetadata(ctx context.Context, restart func(), each func(metav1.ObjectMeta) bool) error {
	l.accept = metadataOnly
	var failed error
	err := l.pages(ctx, restart, func(page *rawPage) bool {
		for _, item := range page.Items {
			var object metav1.PartialObjectMetadata
			if failed = json.Unmarshal(item.text, &object); failed != nil {
				return false
			}
			for i := range object.ManagedFields {
				object.ManagedFields[i].FieldsV1 = nil // they take more memory than all other metadata
			}
			if !each(object.ObjectMeta) {
				return false
			}
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return err
}
