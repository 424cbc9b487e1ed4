package direct

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// content is what a placement places.
type content struct {
	// selected are the objects that the selectors pick, envelopes closed; objects have the envelopes opened.
	selected []manifest.Identifier
	objects  []placed
	// empty are the selectors that match nothing.
	empty []int
	// unselected are manifests of the placement that no selector picks.
	unselected []manifest.Identifier
	hash       string
}

// placed is an object as it is placed. All clusters share it: it is not to be changed.
type placed struct {
	manifest.Object
	// hash is that of the content as it is selected, desired that content as it is sent.
	hash    string
	desired *unstructured.Unstructured
}

func newPlaced(placementName string, object manifest.Object) placed {
	return placed{Object: object, hash: object.Hash(), desired: outgoing(object.Content, applySetID(placementName))}
}

// hubQueriesAtOnce bounds the LISTs of one selection on the hub.
const hubQueriesAtOnce = 8

// gather resolves the selectors over the hub, if there is one, and over the placement's own manifests.
func (e *Engine) gather(ctx context.Context, request engine.PlacementRequest) (*content, error) {
	if e.hub == nil && len(request.Manifests) == 0 {
		return nil, &engine.NothingToPlaceError{}
	}
	own, err := parseManifests(request.Manifests)
	if err != nil {
		return nil, err
	}
	selectors := request.Spec.Defaulted().ResourceSelectors
	if len(selectors) == 0 {
		return newContent(request.Name, selection.Selection{Objects: own})
	}
	fromManifests, err := selection.ResolveManifests(selectors, own, e.scope(ctx))
	if err != nil {
		return nil, err
	}
	found := fromManifests
	if e.hub != nil {
		fromHub, err := e.selectOnHub(ctx, selectors)
		if err != nil {
			return nil, err
		}
		found.Objects = append(found.Objects, fromHub.Objects...)
		found.Empty = slices.DeleteFunc(found.Empty, func(i int) bool { return !slices.Contains(fromHub.Empty, i) })
		selection.Sort(found.Objects)
	}
	return newContent(request.Name, found)
}

func newContent(placementName string, found selection.Selection) (*content, error) {
	out := &content{empty: found.Empty, unselected: found.Unselected}
	for _, object := range found.Objects {
		out.selected = append(out.selected, object.Identifier)
	}
	objects, errs := envelope.Open(found.Objects)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	hashes := make([]string, 0, len(objects))
	for _, object := range objects {
		as := newPlaced(placementName, object)
		out.objects = append(out.objects, as)
		hashes = append(hashes, object.Key().String()+"="+as.hash)
	}
	slices.Sort(hashes)
	out.hash = manifest.Hash(map[string]any{"objects": strings.Join(hashes, "\n")})
	return out, nil
}

// parseManifests reads the placement's own manifests, in the order of their keys.
func parseManifests(manifests map[string]string) ([]manifest.Object, error) {
	var out []manifest.Object
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(manifests)) {
		objects, err := manifest.Parse(key, manifests[key])
		if err != nil {
			errs = append(errs, err)
		}
		out = append(out, objects...)
	}
	return out, errors.Join(errs...)
}

func (e *Engine) selectOnHub(ctx context.Context, selectors []placement.ResourceSelector) (selection.Selection, error) {
	served, err := e.hub.Kinds(ctx)
	if err != nil {
		return selection.Selection{}, reached(e.hub.Name(), err)
	}
	kinds := make([]selection.Kind, len(served))
	for i, kind := range served {
		kinds[i] = selection.Kind{
			Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Resource: kind.Resource,
			Namespaced: kind.Namespaced, Verbs: kind.Verbs, Preferred: true,
		}
	}
	found, err := selection.Resolve(selectors, kinds, func(queries []selection.Query) ([][]*unstructured.Unstructured, error) {
		return e.runQueries(ctx, queries)
	})
	return found, reached(e.hub.Name(), err)
}

func (e *Engine) runQueries(ctx context.Context, queries []selection.Query) ([][]*unstructured.Unstructured, error) {
	out := make([][]*unstructured.Unstructured, len(queries))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(hubQueriesAtOnce)
	for i, query := range queries {
		group.Go(func() error {
			gvk := schema.GroupVersionKind{Group: query.Kind.Group, Version: query.Kind.Version, Kind: query.Kind.Kind}
			if query.Name == "" {
				var err error
				out[i], err = e.hub.List(ctx, gvk, query.Namespace, "")
				return err
			}
			object, err := e.hub.Get(ctx, gvk, query.Namespace, query.Name)
			if kube.IsNotFound(err) {
				return nil
			}
			if err == nil {
				out[i] = []*unstructured.Unstructured{object}
			}
			return err
		})
	}
	return out, group.Wait()
}

// scope tells whether a kind is namespaced, as the hub or any member that answers serves it.
func (e *Engine) scope(ctx context.Context) func(schema.GroupKind) (namespaced, known bool) {
	return func(gk schema.GroupKind) (bool, bool) {
		for _, cluster := range e.anyClusters() {
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

// anyClusters are the clusters to ask what every cluster knows: the hub first, then the members.
func (e *Engine) anyClusters() []*kube.Cluster {
	var out []*kube.Cluster
	if e.hub != nil {
		out = append(out, e.hub)
	}
	for _, name := range e.memberNames() {
		out = append(out, e.members[name])
	}
	return out
}
