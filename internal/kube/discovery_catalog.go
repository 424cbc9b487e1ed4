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
	// Versions are the versions that have the kind, in the API server's order of preference. Version is the first of them.
	Version  string
	Versions []string
	Kind     string
	// Resource is the plural name.
	Resource   string
	Namespaced bool
	// Verbs lists the verbs of the preferred version: get, list, create, ...
	Verbs []string
}

// GVK returns the kind in its preferred version.
func (k Kind) GVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// A Mapping has the resource of a kind, and whether the kind is namespaced.
type Mapping struct {
	GVR        schema.GroupVersionResource
	Namespaced bool
}

type inventory struct {
	kinds       []Kind
	mappings    map[schema.GroupVersionKind]Mapping
	unavailable map[schema.GroupVersion]error // their API service is unavailable
}

type catalog struct {
	*memo[inventory]
	mu        sync.Mutex
	refetched time.Time // last repetition of discovery for an unknown kind
}

func newCatalog() *catalog { return &catalog{memo: newMemo[inventory]()} }

// refetchEvery is the minimum time between two repetitions of discovery, so that many objects of one missing kind do not cause many downloads.
const refetchEvery = time.Second

// canRefetch reports whether discovery may be repeated now, and records the repetition.
func (c *catalog) canRefetch(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.refetched) < refetchEvery {
		return false
	}
	c.refetched = now
	return true
}

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

// add adds a resource of a group version. index maps each kind of the group to its index in kinds.
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

// served has the groups that an API server announces, in its order, the resources of their versions, and the errors of versions whose resources could not be
// read.
type served struct {
	groups    []metav1.APIGroup
	resources map[schema.GroupVersion][]metav1.APIResource
	failed    map[schema.GroupVersion]error
}
