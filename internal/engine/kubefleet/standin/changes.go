package standin

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
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
	hub *hubWatch
	// nudge is called after every change.
	nudge func()

	mu sync.Mutex
	// count is by scope; fleet counts what the hub agent goes by.
	count map[scope]int
	fleet int
}

// watchHub begins to watch. Where the hub cannot be watched it is always taken for changed.
func watchHub(ctx context.Context, cluster *kube.Cluster, done *sync.WaitGroup, nudge func()) *changes {
	c := &changes{nudge: nudge, count: map[scope]int{}}
	c.hub = startWatch(ctx, cluster, done, c.changed)
	return c
}

// changed counts a change of an object.
func (c *changes) changed(kind schema.GroupKind, object metav1.Object) {
	c.add(kind, object)
	c.nudge()
}

func (c *changes) add(kind schema.GroupKind, object metav1.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
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
}

func isOfFleet(kind schema.GroupKind) bool {
	return kind.Group == hub.ClusterPlacement.Group || kind.Group == hub.MemberCluster.Group
}

// ofFleet returns a number that is another one after a change of what the hub agent goes by. It is not known if not everything is watched.
func (c *changes) ofFleet() (number int, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fleet, c.hub.whole()
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
	return number, c.hub.whole()
}
