package kube

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
)

// rawObject is an object of a list in the words of the server. As JSON it takes a fifth of the memory that it takes decoded, and everybody
// who decodes it has an object of their own.
type rawObject struct {
	name string
	text []byte
	// apiVersion and kind are those of the list: built-in kinds do not repeat them in every object.
	apiVersion, kind string
}

// nameFirst is how the objects of built-in kinds begin.
var nameFirst = []byte(`{"metadata":{"name":"`)

// UnmarshalJSON implements json.Unmarshaler. It reads the name only, and keeps text: the body of an answer is ours, and is not changed.
func (r *rawObject) UnmarshalJSON(text []byte) error {
	r.text = text
	if rest, found := bytes.CutPrefix(text, nameFirst); found {
		name, _, _ := bytes.Cut(rest, []byte{'"'})
		if r.name = string(name); !strings.Contains(r.name, `\`) {
			return nil
		}
	}
	var head struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	err := json.Unmarshal(text, &head)
	r.name = head.Metadata.Name
	return err
}

// decode returns the object, a new one every time.
func (r rawObject) decode() (*unstructured.Unstructured, error) {
	out := &unstructured.Unstructured{}
	if err := json.Unmarshal(r.text, &out.Object); err != nil {
		return nil, err
	}
	if out.GetKind() == "" && out.GetAPIVersion() == "" {
		out.SetKind(r.kind)
		out.SetAPIVersion(r.apiVersion)
	}
	return out, nil
}

// decodeAll decodes the objects.
func decodeAll(raw []rawObject) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, r := range raw {
		object, err := r.decode()
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
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

// list returns the objects whose name is wanted. The others are dropped page by page, so that they take no memory.
func (l lister) list(ctx context.Context, wanted func(name string) bool) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	var failed error
	err := l.pages(ctx, func() { objects = nil }, func(page *rawPage) bool {
		var found []*unstructured.Unstructured
		found, failed = decodeAll(selected(page.Items, wanted))
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

func selected(raw []rawObject, wanted func(name string) bool) []rawObject {
	var out []rawObject
	for _, r := range raw {
		if wanted(r.name) {
			out = append(out, r)
		}
	}
	return out
}

func everyName(string) bool { return true }
