package source

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

func resolveOnHub(
	ctx context.Context, hub *kube.Cluster, namespace string, selectors []placement.ResourceSelector, options Options,
) (selection.Selection, error) {
	served, err := hub.Kinds(ctx)
	if err != nil {
		return selection.Selection{}, clusterset.Unreachable(hub.Name(), err)
	}
	kinds := make([]selection.Kind, len(served))
	for i, kind := range served {
		kinds[i] = selection.Kind{
			Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Resource: kind.Resource,
			Namespaced: kind.Namespaced, Verbs: kind.Verbs, Preferred: true,
		}
	}
	list := func(queries []selection.Query) ([][]*unstructured.Unstructured, error) {
		answers, err := runQueries(ctx, hub, queries)
		if err != nil {
			return nil, err
		}
		for i := range answers {
			if answers[i], err = options.predict(queries[i], answers[i]); err != nil {
				return nil, err
			}
		}
		return answers, nil
	}
	var found selection.Selection
	if namespace == "" {
		found, err = selection.Resolve(selectors, kinds, list)
	} else {
		found, err = selection.ResolveIn(namespace, selectors, kinds, list)
	}
	// If a selector also selects other objects, its skipped objects are not reported: every namespace has some.
	found.Skipped = slices.DeleteFunc(found.Skipped, func(s selection.Skipped) bool { return !slices.Contains(found.Empty, s.Selector) })
	for i := range found.Objects {
		found.Objects[i].Content = withoutMarks(found.Objects[i].Content)
	}
	return found, clusterset.Unreachable(hub.Name(), err)
}

// runQueries returns the results of the queries. If queries are forbidden, it returns one error that names all missing permissions.
func runQueries(ctx context.Context, hub *kube.Cluster, queries []selection.Query) ([][]*unstructured.Unstructured, error) {
	out := make([][]*unstructured.Unstructured, len(queries))
	forbidden := make([]error, len(queries))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(kube.MaxParallel)
	for i, query := range queries {
		group.Go(func() error {
			var err error
			if out[i], err = runQuery(ctx, hub, query); kube.IsForbidden(err) {
				forbidden[i], err = err, nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, errors.Join(forbidden...)
}

func runQuery(ctx context.Context, hub *kube.Cluster, query selection.Query) ([]*unstructured.Unstructured, error) {
	gvk := schema.GroupVersionKind{Group: query.Kind.Group, Version: query.Kind.Version, Kind: query.Kind.Kind}
	if query.Name == "" {
		return hub.List(ctx, gvk, query.Namespace, "")
	}
	object, err := hub.Get(ctx, gvk, query.Namespace, query.Name)
	if kube.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []*unstructured.Unstructured{object}, nil
}

// newScope returns a function that reports whether a kind is namespaced, from discovery on the hub or any reachable member.
func newScope(ctx context.Context, clusters *clusterset.Set) func(schema.GroupKind) (namespaced, known bool) {
	return func(gk schema.GroupKind) (bool, bool) {
		for _, cluster := range clusters.Any() {
			kinds, err := cluster.Kinds(ctx)
			if err != nil {
				continue
			}
			for _, kind := range kinds {
				if kind.Group == gk.Group && kind.Kind == gk.Kind {
					return kind.Namespaced, true
				}
			}
		}
		return false, false
	}
}

// withoutMarks removes the marks of a placement from an object, for a hub that is a member too. The marks are not part of the content, and would change its hash
// with every apply.
func withoutMarks(u *unstructured.Unstructured) *unstructured.Unstructured {
	_, isApplied := u.GetAnnotations()[kube.DefaultLastAppliedAnnotation]
	if applyset.PartOf(u) == "" && !isApplied {
		return u
	}
	out := u.DeepCopy()
	for field, mark := range map[string]string{"labels": applyset.PartOfLabel, "annotations": kube.DefaultLastAppliedAnnotation} {
		unstructured.RemoveNestedField(out.Object, "metadata", field, mark)
		if remaining, _, _ := unstructured.NestedMap(out.Object, "metadata", field); len(remaining) == 0 {
			unstructured.RemoveNestedField(out.Object, "metadata", field)
		}
	}
	return out
}
