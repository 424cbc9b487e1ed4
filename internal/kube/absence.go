package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// NotServedError is returned by [Cluster.CheckUnserved] when objects of a kind may exist although discovery does not list the kind.
type NotServedError struct {
	Kind schema.GroupKind
	// Err is the reason why objects of the kind may exist.
	Err error
}

func (e *NotServedError) Error() string {
	cause, _ := explain(e.Err)
	return fmt.Sprintf("discovery does not list the kind %s, but objects of the kind may exist: %s", e.Kind, cause)
}

// Unwrap returns Err.
func (e *NotServedError) Unwrap() error { return e.Err }

var errServed = errors.New("the API server serves it; try again")

// CheckUnserved returns nil if the API server lists the kind in no version of its group, and serves every CustomResourceDefinition of the group. Otherwise
// it returns an error that wraps a *[NotServedError]. If the connection fails before the first request, the error does not wrap one. CheckUnserved does not
// use the cached discovery, which can lack a kind that has objects. If the API server lists the kind, CheckUnserved drops the cached discovery. A nil error
// does not prove that no objects exist: if the account may not list CustomResourceDefinitions, CheckUnserved does not detect a kind that has objects but is
// not served at the moment.
func (c *Cluster) CheckUnserved(ctx context.Context, kind schema.GroupKind) error {
	_, err := call(ctx, c, opDiscover, Ref{GVK: kind.WithVersion("")}, func(clients *clients) (struct{}, error) {
		served, err := clients.servedResources(ctx, kind.Group)
		if err != nil {
			return struct{}{}, &NotServedError{Kind: kind, Err: err}
		}
		for _, resource := range served {
			if resource.Kind == kind.Kind {
				c.catalog.reset()
				return struct{}{}, &NotServedError{Kind: kind, Err: errServed}
			}
		}
		return struct{}{}, clients.checkDefinitions(ctx, kind, served)
	})
	return err
}

// servedResources lists the resources of all versions of a group. It returns nil if the API server does not have the group.
func (c *clients) servedResources(ctx context.Context, group string) ([]metav1.APIResource, error) {
	roots := [][]string{{"api", "v1"}}
	if group != "" {
		var known metav1.APIGroup
		err := c.readDocument(ctx, &known, "apis", group)
		if isMissingPath(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		roots = nil
		for _, version := range known.Versions {
			roots = append(roots, []string{"apis", group, version.Version})
		}
	}
	var out []metav1.APIResource
	for _, root := range roots {
		var list metav1.APIResourceList
		if err := c.readDocument(ctx, &list, root...); err != nil {
			return nil, err
		}
		out = append(out, list.APIResources...)
	}
	return out, nil
}

func (c *clients) readDocument(ctx context.Context, into any, path ...string) error {
	body, err := c.rest.Get().AbsPath(path...).Do(ctx).Raw()
	if err != nil {
		return err
	}
	return asAnswerError(json.Unmarshal(body, into))
}

// checkDefinitions returns a *NotServedError if the kind's group has a CustomResourceDefinition that is not in served, the resources that the API server
// serves in this group. It returns nil if the API server has no CustomResourceDefinitions, or if the account may not list them. If the list fails for
// another reason, it returns a *NotServedError.
func (c *clients) checkDefinitions(ctx context.Context, kind schema.GroupKind, served []metav1.APIResource) error {
	known, err := newLister(c.rest, Mapping{GVR: definitions}, "", "").metadata(ctx)
	if isMissingPath(err) || apierrors.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return &NotServedError{Kind: kind, Err: err}
	}
	plurals := map[string]bool{}
	for _, resource := range served {
		plurals[resource.Name] = true
	}
	for _, definition := range known {
		plural, group, _ := strings.Cut(definition.Name, ".")
		if group == kind.Group && !plurals[plural] {
			return &NotServedError{Kind: kind, Err: fmt.Errorf("its group has the CustomResourceDefinition %s, which is not served", definition.Name)}
		}
	}
	return nil
}
