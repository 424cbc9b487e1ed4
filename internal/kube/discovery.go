package kube

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kinds returns everything the cluster serves, without subresources. Discovery runs once per cluster and process (two requests where the
// API server aggregates). Groups of an API service that is down are left out: see UnavailableGroups.
func (c *Cluster) Kinds(ctx context.Context) ([]Kind, error) {
	return call(ctx, c, opDiscover, Ref{}, func(clients *clients) ([]Kind, error) {
		found, err := c.catalog.get(ctx, clients.discover)
		if err != nil {
			return nil, err
		}
		return slices.Clone(found.kinds), nil
	})
}

// UnavailableGroups returns the group versions that the cluster announces, but whose API service does not answer.
func (c *Cluster) UnavailableGroups(ctx context.Context) ([]schema.GroupVersion, error) {
	return call(ctx, c, opDiscover, Ref{}, func(clients *clients) ([]schema.GroupVersion, error) {
		found, err := c.catalog.get(ctx, clients.discover)
		if err != nil {
			return nil, err
		}
		var groups []schema.GroupVersion
		for group := range found.unavailable {
			groups = append(groups, group)
		}
		slices.SortFunc(groups, func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) })
		return groups, nil
	})
}

// Resolve returns where a kind is served; any served version is found. A kind that is not known makes discovery run once more, at most
// once a second, since it may have been installed meanwhile. Errors wrap *UnknownKindError or *UnavailableGroupError.
func (c *Cluster) Resolve(ctx context.Context, gvk schema.GroupVersionKind) (Mapping, error) {
	return call(ctx, c, opDiscover, Ref{GVK: gvk}, func(clients *clients) (Mapping, error) {
		return c.resolve(ctx, clients, gvk)
	})
}

// ResetDiscovery forgets what the cluster serves, for instance after a CustomResourceDefinition was established.
func (c *Cluster) ResetDiscovery() { c.catalog.reset() }

func (c *Cluster) resolve(ctx context.Context, clients *clients, gvk schema.GroupVersionKind) (Mapping, error) {
	if gvk.Kind == "" || gvk.Version == "" {
		return Mapping{}, &requestError{"it has no apiVersion or no kind"}
	}
	found, err := c.catalog.get(ctx, clients.discover)
	if err != nil {
		return Mapping{}, err
	}
	mapping, known := found.mappings[gvk]
	if !known && c.catalog.mayRefetch(time.Now()) {
		if found, err = c.catalog.newer(ctx, found, clients.discover); err != nil {
			return Mapping{}, err
		}
		mapping, known = found.mappings[gvk]
	}
	if known {
		return mapping, nil
	}
	if cause := found.unavailable[gvk.GroupVersion()]; cause != nil {
		return Mapping{}, &UnavailableGroupError{Cluster: c.name, GroupVersion: gvk.GroupVersion(), Err: cause}
	}
	return Mapping{}, &UnknownKindError{Cluster: c.name, GVK: gvk}
}

// errNoKubernetes is a server that answers, and serves nothing. The kinds are not unknown then: it is another server, or a proxy in
// the place of the API server.
var errNoKubernetes = errors.New("the server answers, but serves no Kubernetes API")

// discover asks the API server what it serves. A group whose API service is down does not spoil the rest; a cluster that fails in the
// middle does: an inventory of what came before must not be kept.
func (c *clients) discover(ctx context.Context) (inventory, error) {
	all, err := c.readServed(ctx)
	switch {
	case isMissingPath(err):
		return inventory{}, errNoKubernetes
	case err != nil:
		return inventory{}, unreadable(err)
	}
	found := newInventory(all)
	if len(all.failed) == 0 {
		if len(found.mappings) == 0 {
			return inventory{}, errNoKubernetes
		}
		return found, nil
	}
	if ctx.Err() != nil {
		return inventory{}, ctx.Err()
	}
	for _, cause := range all.failed {
		if isNetworkFailure(cause) {
			return inventory{}, cause
		}
	}
	return found, nil
}
