package kube

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// Kinds returns all kinds that the cluster serves, without subresources. It uses the cached discovery, or runs discovery (two requests if the API server
// supports aggregated discovery). Group versions of an unavailable API service are omitted: see UnavailableGroups.
func (c *Cluster) Kinds(ctx context.Context) ([]Kind, error) {
	return call(ctx, c, opDiscover, Ref{}, func(clients *clients) ([]Kind, error) {
		found, err := c.catalog.get(ctx, clients.discover)
		if err != nil {
			return nil, err
		}
		return slices.Clone(found.kinds), nil
	})
}

// UnavailableGroups returns the group versions that the cluster announces, but whose API service is unavailable.
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

// Resolve returns where a kind is served. For an unknown kind, it repeats discovery, at most once a second, because the kind may have been
// installed after the last discovery. The error wraps an *UnknownKindError if the kind is not served in this version, and an
// *UnavailableGroupError if its API service is unavailable.
func (c *Cluster) Resolve(ctx context.Context, gvk schema.GroupVersionKind) (Mapping, error) {
	return call(ctx, c, opDiscover, Ref{GVK: gvk}, func(clients *clients) (Mapping, error) {
		return c.resolve(ctx, clients, gvk)
	})
}

// ResetDiscovery drops the cached discovery, for instance after a CustomResourceDefinition was established.
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
	if !known && c.catalog.canRefetch(time.Now()) {
		if found, err = c.catalog.getNewer(ctx, found, clients.discover); err != nil {
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

// discover runs discovery. An unavailable API service affects only its own group. If the cluster becomes unreachable during discovery, discover returns an
// error, so that an incomplete inventory is not cached. If the server serves no kinds, discover returns errNoKubernetes.
func (c *clients) discover(ctx context.Context) (inventory, error) {
	all, err := c.readServed(ctx)
	switch {
	case isMissingPath(err):
		return inventory{}, errNoKubernetes
	case err != nil:
		return inventory{}, asAnswerError(err)
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

func (c *Cluster) object(ctx context.Context, clients *clients, ref Ref) (dynamic.ResourceInterface, error) {
	mapping, err := c.locate(ctx, clients, ref)
	if err != nil {
		return nil, err
	}
	client := clients.dynamic.Resource(mapping.GVR)
	if mapping.Namespaced {
		return verifiedClient{client.Namespace(ref.Namespace), ref}, nil
	}
	ref.Namespace = ""
	return verifiedClient{client, ref}, nil
}

// locate returns where one object is served. It returns an error for a reference without a name. It also returns an error for a namespaced kind without a
// namespace, because the API server would answer 404 for this path, and this 404 must never count as a missing object.
func (c *Cluster) locate(ctx context.Context, clients *clients, ref Ref) (Mapping, error) {
	mapping, err := c.resolve(ctx, clients, ref.GVK)
	switch {
	case err != nil:
		return mapping, err
	case ref.Name == "":
		return mapping, &requestError{"it has no name"}
	case mapping.Namespaced && ref.Namespace == "":
		return mapping, errNoNamespace
	}
	return mapping, nil
}
