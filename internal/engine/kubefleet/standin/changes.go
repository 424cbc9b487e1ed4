package standin

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	clientgo "k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	// unseen is how long a change may go unnoticed of which no watch tells: a kind may have been installed a moment ago.
	unseen = 5 * time.Second
	// pause is how long a watch that has ended rests.
	pause = 500 * time.Millisecond
	// idle is how often the hub agent looks for what only time brings while watches tell it of everything else.
	idle = time.Second
	// gap is how long the hub agent rests at least between two looks, so that one look sees more than one change.
	gap = 50 * time.Millisecond
)

// scope is what changes are counted of: a Namespace with what is in it, or a kind.
type scope struct {
	namespace string
	kind      schema.GroupKind
}

// changes counts the changes on the hub, as its watches tell of them: what has not changed need not be listed again.
type changes struct {
	hub *kube.Cluster
	// nudge is called after every change.
	nudge func()

	mu sync.Mutex
	// count is by scope; fleet counts what the hub agent goes by.
	count map[scope]int
	fleet int
	// watched are the kinds of which there is a watch, blind how many of these watches do not run at the moment.
	watched map[schema.GroupVersionResource]bool
	blind   int
}

// watchHub begins to watch. Where the hub cannot be watched it is always taken for changed.
func watchHub(ctx context.Context, cluster *kube.Cluster, done *sync.WaitGroup, nudge func()) *changes {
	c := &changes{hub: cluster, nudge: nudge, count: map[scope]int{}, watched: map[schema.GroupVersionResource]bool{}, blind: 1}
	reach, err := cluster.Handover(ctx)
	if err != nil {
		return c
	}
	config := &clientgo.Config{
		Host: reach.URL, BearerToken: reach.Token, QPS: -1,
		TLSClientConfig: clientgo.TLSClientConfig{Insecure: reach.Insecure, CAData: reach.CA, CertData: reach.Certificate, KeyData: reach.Key},
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return c
	}
	done.Go(func() { c.watchKinds(ctx, client, done) })
	return c
}

// watchKinds begins a watch of every kind that the hub serves, and of those that are installed later.
func (c *changes) watchKinds(ctx context.Context, client metadata.Interface, done *sync.WaitGroup) {
	known := false
	for ctx.Err() == nil {
		kinds, err := c.hub.Kinds(ctx)
		if err == nil {
			for _, kind := range kinds {
				c.begin(ctx, client, kind, done)
			}
			if !known {
				known = true
				c.add(func() { c.blind-- })
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(unseen):
		}
	}
}

// begin watches a kind that was not watched.
func (c *changes) begin(ctx context.Context, client metadata.Interface, kind kube.Kind, done *sync.WaitGroup) {
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Resource}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched[resource] || !slices.Contains(kind.Verbs, "watch") || ofNoPlacement[kind.GVK().GroupKind()] {
		return
	}
	c.watched[resource] = true
	c.blind++
	done.Go(func() {
		for ctx.Err() == nil {
			c.watch(ctx, client.Resource(resource), kind)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
}

// ofNoPlacement are kinds that are written all the time, and that no placement selects.
var ofNoPlacement = map[schema.GroupKind]bool{
	{Kind: "Event"}: true, {Group: "events.k8s.io", Kind: "Event"}: true, {Group: "coordination.k8s.io", Kind: "Lease"}: true,
}

// watch counts the changes of a kind until the watch ends. What a watch begins with counts as changed.
func (c *changes) watch(ctx context.Context, client metadata.Getter, kind kube.Kind) {
	running, err := client.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	defer running.Stop()
	c.add(func() { c.blind-- })
	defer c.add(func() { c.blind++ })
	for event := range running.ResultChan() {
		object, err := meta.Accessor(event.Object)
		if event.Type == watch.Error || err != nil {
			return
		}
		c.changed(kind.GVK().GroupKind(), object)
	}
}

// changed counts a change of an object.
func (c *changes) changed(kind schema.GroupKind, object metav1.Object) {
	c.add(func() {
		c.count[scope{kind: kind}]++
		if namespace := object.GetNamespace(); namespace != "" {
			c.count[scope{namespace: namespace}]++
		}
		if kind == namespaceKind.GroupKind() {
			c.count[scope{namespace: object.GetName()}]++
		}
		if isOfFleet(kind) {
			c.fleet++
		}
	})
	c.nudge()
}

func isOfFleet(kind schema.GroupKind) bool {
	return kind.Group == hub.ClusterPlacement.Group || kind.Group == hub.MemberCluster.Group
}

func (c *changes) add(count func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	count()
}

// ofFleet returns a number that is another one after a change of what the hub agent goes by. It is not known if not everything is watched.
func (c *changes) ofFleet() (number int, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fleet, c.blind == 0
}

// of returns a number that is another one after a change of what a placement selects, or has selected.
func (c *changes) of(in string, selectors []placement.ResourceSelector, selected []manifest.Identifier) (number int, known bool) {
	scopes := map[scope]bool{}
	if in != "" {
		scopes[scope{namespace: in}] = true
	}
	for _, s := range selectors {
		kind := schema.GroupKind{Group: s.Group, Kind: s.Kind}
		if kind == namespaceKind.GroupKind() && s.Name != "" {
			scopes[scope{namespace: s.Name}] = true
			continue
		}
		scopes[scope{kind: kind}] = true
	}
	for _, o := range selected {
		if o.Namespace != "" {
			scopes[scope{namespace: o.Namespace}] = true
		}
		if o.Kind == namespaceKind.Kind && o.Group == "" {
			scopes[scope{namespace: o.Name}] = true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range scopes {
		number += c.count[s]
	}
	return number, c.blind == 0
}
