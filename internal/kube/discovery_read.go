package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"sync"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// client-go's discovery client is not used: it imports the Go types of all built-in kinds, which would be a quarter of the provider's size.

// acceptDiscovery prefers aggregated discovery.
const acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// readServed reads all groups and their resources. If a group version failed, it reads everything a second time, because a group can be removed between the
// requests.
func (c *clients) readServed(ctx context.Context) (served, error) {
	found, err := c.readServedOnce(ctx)
	if err == nil && len(found.failed) > 0 && ctx.Err() == nil {
		return c.readServedOnce(ctx)
	}
	return found, err
}

func (c *clients) readServedOnce(ctx context.Context) (served, error) {
	core, coreAggregated, err := c.readRoot(ctx, "/api")
	if apierrors.IsNotFound(err) { // an API server may have only named groups
		core, coreAggregated, err = served{}, true, nil
	}
	if err != nil {
		return served{}, err
	}
	named, aggregated, err := c.readRoot(ctx, "/apis")
	if err != nil {
		return served{}, err
	}
	found := served{
		groups:    append(core.groups, named.groups...),
		resources: map[schema.GroupVersion][]metav1.APIResource{}, failed: map[schema.GroupVersion]error{},
	}
	if !aggregated || !coreAggregated {
		c.readVersions(ctx, &found)
		return found, nil
	}
	for _, root := range []served{core, named} {
		maps.Copy(found.resources, root.resources)
		maps.Copy(found.failed, root.failed)
	}
	return found, nil
}

// readRoot reads /api or /apis. The answer is either aggregated, or lists groups without their resources.
func (c *clients) readRoot(ctx context.Context, path string) (found served, aggregated bool, err error) {
	var contentType string
	body, err := c.rest.Get().AbsPath(path).SetHeader("Accept", acceptDiscovery).Do(ctx).ContentType(&contentType).Raw()
	if err != nil {
		return served{}, false, err
	}
	if isAggregated(contentType) {
		var list apidiscovery.APIGroupDiscoveryList
		if err := json.Unmarshal(body, &list); err != nil {
			return served{}, false, err
		}
		return splitDiscovery(list.Items), true, nil
	}
	if path == "/api" {
		var versions metav1.APIVersions
		if err := json.Unmarshal(body, &versions); err != nil {
			return served{}, false, err
		}
		return served{groups: []metav1.APIGroup{coreGroupOf(versions.Versions)}}, false, nil
	}
	var list metav1.APIGroupList
	if err := json.Unmarshal(body, &list); err != nil {
		return served{}, false, err
	}
	return served{groups: list.Groups}, false, nil
}

func isAggregated(contentType string) bool {
	media, parameters, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json" &&
		parameters["g"] == "apidiscovery.k8s.io" && parameters["v"] == "v2" && parameters["as"] == "APIGroupDiscoveryList"
}

// splitDiscovery converts the answer of aggregated discovery. A stale version counts as failed, because its API service did not respond.
func splitDiscovery(items []apidiscovery.APIGroupDiscovery) served {
	found := served{resources: map[schema.GroupVersion][]metav1.APIResource{}, failed: map[schema.GroupVersion]error{}}
	for _, item := range items {
		group := metav1.APIGroup{Name: item.Name}
		for _, version := range item.Versions {
			gv := schema.GroupVersion{Group: item.Name, Version: version.Version}
			if version.Freshness == apidiscovery.DiscoveryFreshnessStale {
				found.failed[gv] = fmt.Errorf("stale GroupVersion discovery: %v", gv)
				continue
			}
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version})
			for _, resource := range version.Resources {
				if resource.ResponseKind == nil || *resource.ResponseKind == (metav1.GroupVersionKind{}) {
					continue // only its subresources have a kind
				}
				found.resources[gv] = append(found.resources[gv], metav1.APIResource{
					Name: resource.Resource, Kind: resource.ResponseKind.Kind, Verbs: resource.Verbs,
					Namespaced: resource.Scope == apidiscovery.ScopeNamespace,
				})
			}
		}
		if len(group.Versions) > 0 {
			group.PreferredVersion = group.Versions[0]
		}
		found.groups = append(found.groups, group)
	}
	return found
}

func coreGroupOf(versions []string) metav1.APIGroup {
	group := metav1.APIGroup{}
	for _, version := range versions {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: version, Version: version})
	}
	if len(group.Versions) > 0 {
		group.PreferredVersion = group.Versions[0]
	}
	return group
}

// readVersions reads the resources of all versions with one request each, for an API server without aggregated discovery. It records the error of a version
// in failed.
func (c *clients) readVersions(ctx context.Context, found *served) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, group := range found.groups {
		for _, version := range group.Versions {
			gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
			all.Go(func() {
				resources, err := c.readVersion(ctx, gv)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					found.failed[gv] = err
					return
				}
				found.resources[gv] = resources
			})
		}
	}
	all.Wait()
}

func (c *clients) readVersion(ctx context.Context, gv schema.GroupVersion) ([]metav1.APIResource, error) {
	path := []string{"apis", gv.Group, gv.Version}
	if gv.Group == "" {
		path = []string{"api", gv.Version}
	}
	body, err := rawAnswer(c.rest.Get().AbsPath(path...).Do(ctx))
	if gv.Group == "" && apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(body, &list); err != nil || list.Kind != "" && list.Kind != "APIResourceList" {
		return nil, &answerError{"the answer is not a list of resources"}
	}
	return list.APIResources, nil
}
