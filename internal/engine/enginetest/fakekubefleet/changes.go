package fakekubefleet

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
	// idle is the interval at which the hub agent checks for time-dependent changes while watches report all other changes.
	idle = time.Second
	// gap is the minimum pause between two rounds of the hub agent, so that one round sees several changes.
	gap = 50 * time.Millisecond
)

// scope is a unit for counting changes: a Namespace with its contents, or a kind.
type scope struct {
	namespace string
	kind      schema.GroupKind
}

// changes counts the changes that the watches of the hub report, so that unchanged objects need not be listed again.
type changes struct {
	hub *hubWatch
	// onChange is called after every change.
	onChange func()

	mu sync.Mutex
	// count is by scope. fleet counts the changes of the hub agent's own inputs.
	count map[scope]int
	fleet int
}

// watchHub starts to watch. A hub that cannot be watched always counts as changed.
func watchHub(ctx context.Context, cluster *kube.Cluster, done *sync.WaitGroup, onChange func()) *changes {
	c := &changes{onChange: onChange, count: map[scope]int{}}
	c.hub = startWatch(ctx, cluster, done, c.changed)
	return c
}

// changed counts a change of an object.
func (c *changes) changed(kind schema.GroupKind, object metav1.Object) {
	c.add(kind, object)
	c.onChange()
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

// ofFleet returns a number that changes with the hub agent's own inputs. known is false unless every kind is watched.
func (c *changes) ofFleet() (number int, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fleet, c.hub.whole()
}

// of returns a number that changes with the objects that a placement selects or has selected.
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
