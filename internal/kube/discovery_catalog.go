package kube

import (
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a kind that a cluster serves.
type Kind struct {
	Group string
	// Version is the one the API server prefers among those that serve the kind; Versions are all of them, the preferred one first.
	Version  string
	Versions []string
	Kind     string
	// Resource is the plural name, as in URLs and in RBAC rules.
	Resource   string
	Namespaced bool
	// Verbs are what the preferred version allows: get, list, create, ...
	Verbs []string
}

// GVK returns the kind in its preferred version.
func (k Kind) GVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// Mapping says where a kind is served.
type Mapping struct {
	GVR        schema.GroupVersionResource
	Namespaced bool
}

// inventory is what one discovery found.
type inventory struct {
	kinds       []Kind
	mappings    map[schema.GroupVersionKind]Mapping
	unavailable map[schema.GroupVersion]error // served by an API service that does not answer
}

// catalog keeps the inventory of a cluster.
type catalog struct {
	*memo[inventory]
	mu        sync.Mutex
	refetched time.Time // when discovery was last repeated because of a kind that was not found
}

func newCatalog() *catalog { return &catalog{memo: newMemo[inventory]()} }

// refetchEvery is the shortest time between two repetitions of discovery because of kinds that were not found: many objects of one
// missing kind must not mean as many downloads.
const refetchEvery = time.Second

// mayRefetch reports whether discovery may be repeated now, and takes note that it will be.
func (c *catalog) mayRefetch(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.refetched) < refetchEvery {
		return false
	}
	c.refetched = now
	return true
}

// newInventory arranges what discovery read, in the server's order of preference.
func newInventory(all served) inventory {
	found := inventory{mappings: map[schema.GroupVersionKind]Mapping{}, unavailable: all.failed}
	for _, group := range all.groups {
		index := map[string]int{}
		for _, version := range versionsOf(group) {
			for _, resource := range all.resources[schema.GroupVersion{Group: group.Name, Version: version}] {
				found.add(group.Name, version, resource, index)
			}
		}
	}
	return found
}

// add takes one resource into the inventory; index holds the place in kinds of each kind of the group.
func (i *inventory) add(group, version string, resource metav1.APIResource, index map[string]int) {
	if strings.Contains(resource.Name, "/") { // a subresource
		return
	}
	gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: resource.Kind}
	if _, known := i.mappings[gvk]; known {
		return
	}
	i.mappings[gvk] = Mapping{
		GVR:        schema.GroupVersionResource{Group: group, Version: version, Resource: resource.Name},
		Namespaced: resource.Namespaced,
	}
	if at, known := index[resource.Kind]; known {
		i.kinds[at].Versions = append(i.kinds[at].Versions, version)
		return
	}
	index[resource.Kind] = len(i.kinds)
	i.kinds = append(i.kinds, Kind{
		Group: group, Version: version, Versions: []string{version}, Kind: resource.Kind,
		Resource: resource.Name, Namespaced: resource.Namespaced, Verbs: resource.Verbs,
	})
}

// versionsOf lists the versions of a group, the preferred one first.
func versionsOf(group metav1.APIGroup) []string {
	versions := []string{}
	for _, version := range group.Versions {
		if version.Version == group.PreferredVersion.Version {
			versions = slices.Insert(versions, 0, version.Version)
			continue
		}
		versions = append(versions, version.Version)
	}
	return versions
}
