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

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

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

// Each hands on the objects of a kind one by one, in one namespace or with an empty namespace in all. It keeps none of them: it is for lists
// as long as a cluster is large. restart is called when what was handed on does not count any more.
func (c *Cluster) Each(
	ctx context.Context, gvk schema.GroupVersionKind, namespace string, restart func(), each func(*unstructured.Unstructured),
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
				each(object)
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
		return nil, &answerError{"the answer is no JSON of a list"}
	}
	kind, isList := strings.CutSuffix(page.Kind, "List")
	if !isList || page.APIVersion == "" {
		return nil, &answerError{printable.Cut(fmt.Sprintf("the answer is a %q of %q, and no list", page.Kind, page.APIVersion), maxTold)}
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
	return lister{
		client: client, path: collectionPath(mapping, namespace), selector: selector, unique: !mapping.Namespaced || namespace != "",
	}
}

// collectionPath returns where a server has the objects of a kind, in one namespace or with an empty one in all.
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

// objectPath returns where a server has one object.
func objectPath(mapping Mapping, ref Ref) []string {
	return append(collectionPath(mapping, ref.Namespace), ref.Name)
}

// pages reads the list page by page and hands on each. restart is called when what was handed on does not count any more. It ends early
// when each returns false.
func (l lister) pages(ctx context.Context, restart func(), each func(*rawPage) bool) error {
	next, reading := "", listing{limit: pageSize}
	for {
		page, size, err := l.page(ctx, next, reading.limit)
		if apierrors.IsResourceExpired(err) && next != "" {
			// The snapshot that the pages come from was compacted away. All at once needs none.
			next, reading = "", listing{}
			restart()
			continue
		}
		if reading.smaller(err) {
			continue
		}
		if err == nil {
			err = reading.check(page, next, size)
		}
		if err != nil {
			return err
		}
		if next = page.Metadata.Continue; !each(page) || next == "" {
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

// list returns the wanted objects. The others are dropped page by page, so that they take no memory.
func (l lister) list(ctx context.Context, wanted wish) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	var failed error
	var held kept
	err := l.pages(ctx, func() { objects, held = nil, kept{} }, func(page *rawPage) bool {
		raw := wanted.selected(page.Items)
		if failed = held.add(raw); failed != nil {
			return false
		}
		var found []*unstructured.Unstructured
		found, failed = wanted.decode(raw)
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
