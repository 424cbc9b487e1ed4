package kube

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
)

// pageSize is the number of objects asked for in one request of a list.
const pageSize = 500

// List reads the objects of a kind, in one namespace or with an empty namespace in all, page by page. The selector is a label selector
// as in kubectl -l; empty selects all.
func (c *Cluster) List(
	ctx context.Context, gvk schema.GroupVersionKind, namespace, labelSelector string,
) ([]*unstructured.Unstructured, error) {
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

// rawPage is one answer to a LIST.
type rawPage struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Continue string `json:"continue"`
	} `json:"metadata"`
	Items []rawObject `json:"items"`
}

// parsePage reads an answer. Anything but a list is an error, and no empty list: objects would count as absent.
//
// client-go would decode every object twice on the way, once as part of the list.
func parsePage(body []byte) (*rawPage, error) {
	page := &rawPage{}
	if err := json.Unmarshal(body, page); err != nil {
		return nil, fmt.Errorf("the answer is no JSON of a list: %w", err)
	}
	kind, isList := strings.CutSuffix(page.Kind, "List")
	if !isList || page.APIVersion == "" {
		return nil, fmt.Errorf("the answer is a %q of %q, and no list", page.Kind, page.APIVersion)
	}
	for i := range page.Items {
		page.Items[i].apiVersion, page.Items[i].kind = page.APIVersion, kind
	}
	return page, nil
}

// lister lists the objects of one kind.
type lister struct {
	client   rest.Interface
	path     []string
	selector string
	// accept is the form in which objects are asked for, empty for all of them as JSON.
	accept string
	// unique says that no two objects of the list have the same name.
	unique bool
}

// newLister returns a lister for one namespace, or with an empty one for all of them and for kinds that have none.
func newLister(client rest.Interface, mapping Mapping, namespace, selector string) lister {
	path := []string{"apis", mapping.GVR.Group, mapping.GVR.Version}
	if mapping.GVR.Group == "" {
		path = []string{"api", mapping.GVR.Version}
	}
	if mapping.Namespaced && namespace != "" {
		path = append(path, "namespaces", namespace)
	}
	return lister{
		client: client, path: append(path, mapping.GVR.Resource), selector: selector, unique: !mapping.Namespaced || namespace != "",
	}
}

// pages reads the list page by page and hands on each. restart is called when what was handed on does not count any more. It ends early
// when each returns false.
func (l lister) pages(ctx context.Context, restart func(), each func(*rawPage) bool) error {
	next, limit := "", pageSize
	for {
		page, err := l.page(ctx, next, limit)
		if apierrors.IsResourceExpired(err) && next != "" {
			// The snapshot that the pages come from was compacted away. All at once needs none.
			next, limit = "", 0
			restart()
			continue
		}
		if err != nil {
			return err
		}
		if next = page.Metadata.Continue; !each(page) || next == "" {
			return nil
		}
	}
}

func (l lister) page(ctx context.Context, next string, limit int) (*rawPage, error) {
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
	result := request.Do(ctx)
	if err := result.Error(); err != nil {
		return nil, err
	}
	body, err := result.Raw()
	if err != nil {
		return nil, err
	}
	return parsePage(body)
}

// list returns the wanted objects. The others are dropped page by page, so that they take no memory.
func (l lister) list(ctx context.Context, wanted wish) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	var failed error
	err := l.pages(ctx, func() { objects = nil }, func(page *rawPage) bool {
		var found []*unstructured.Unstructured
		found, failed = wanted.pick(page.Items)
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
