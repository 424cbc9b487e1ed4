package kube

import (
	"context"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

type lister struct {
	client   rest.Interface
	path     []string
	selector string
	// accept is the Accept header; empty requests whole objects as JSON.
	accept string
	// hasUniqueNames means that the names in the list are unique.
	hasUniqueNames bool
}

func newLister(client rest.Interface, mapping Mapping, namespace, selector string) lister {
	return lister{
		client: client, path: collectionPath(mapping, namespace), selector: selector, hasUniqueNames: !mapping.Namespaced || namespace != "",
	}
}

func collectionPath(mapping Mapping, namespace string) []string {
	path := []string{"apis", mapping.GVR.Group, mapping.GVR.Version}
	if mapping.GVR.Group == "" {
		path = []string{"api", mapping.GVR.Version}
	}
	if mapping.Namespaced && namespace != "" {
		path = append(path, "namespaces", namespace)
	}
	return append(path, mapping.GVR.Resource)
}

func objectPath(mapping Mapping, ref Ref) []string {
	return append(collectionPath(mapping, ref.Namespace), ref.Name)
}

// pages calls visit for every page of the list until visit returns false. If the continue token expires, pages calls restart and lists from
// the start. The caller must then discard all earlier pages.
func (l lister) pages(ctx context.Context, restart func(), visit func(*rawPage) bool) error {
	next, guard := "", pageGuard{limit: pageSize}
	for {
		page, size, err := l.page(ctx, next, guard.limit)
		if apierrors.IsResourceExpired(err) && next != "" {
			// The API server no longer has the snapshot from which it serves the pages. A list in one page needs no snapshot.
			next, guard = "", pageGuard{}
			restart()
			continue
		}
		if guard.reduceLimit(err) {
			continue
		}
		if err == nil {
			err = guard.check(page, next, size)
		}
		if err != nil {
			return err
		}
		if next = page.Metadata.Continue; !visit(page) || next == "" {
			return nil
		}
	}
}

func (l lister) page(ctx context.Context, next string, limit int) (page *rawPage, size int, err error) {
	request := l.client.Get().AbsPath(l.path...)
	if l.selector != "" {
		request = request.Param("labelSelector", l.selector)
	}
	if l.accept != "" {
		request = request.SetHeader("Accept", l.accept)
	}
	if limit > 0 {
		request = request.Param("limit", strconv.Itoa(limit))
	}
	if next != "" {
		request = request.Param("continue", next)
	}
	body, err := rawAnswer(request.Do(ctx))
	if err != nil {
		return nil, 0, err
	}
	page, err = parsePage(body)
	return page, len(body), err
}

// list returns the objects that filter selects. It drops the other objects after each page, so that they use no memory.
func (l lister) list(ctx context.Context, filter listFilter) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	var failed error
	var size keptSize
	err := l.pages(ctx, func() { objects, size = nil, keptSize{} }, func(page *rawPage) bool {
		raw := filter.selectFrom(page.Items)
		if failed = size.add(raw); failed != nil {
			return false
		}
		var found []*unstructured.Unstructured
		found, failed = filter.decode(raw)
		objects = append(objects, found...)
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return objects, nil
}
