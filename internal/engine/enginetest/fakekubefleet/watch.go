package fakekubefleet

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

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	// unseen is how long a change may go unnoticed if its kind was just installed and is not watched yet.
	unseen = 5 * time.Second
	// pause is the time between the end of a watch and its restart.
	pause = 500 * time.Millisecond
)

// hubWatch reports changes on a cluster, so that the hub agent lists only what has changed.
type hubWatch struct {
	cluster *kube.Cluster
	changed func(kind schema.GroupKind, object metav1.Object)

	mu sync.Mutex
	// begun has the kinds with a watch. blind counts the watches that are not running. Until the kinds have been listed once, it is 1 more.
	begun map[schema.GroupKind]bool
	blind int
}

// startWatch watches every kind that a cluster serves, except kinds that cannot be watched and the kinds in ofNoPlacement, until ctx ends. done counts the
// goroutines. changed is called for every change, and for every existing object when a watch begins. If a cluster cannot be watched, whole is always false.
func startWatch(ctx context.Context, cluster *kube.Cluster, done *sync.WaitGroup, changed func(kind schema.GroupKind, object metav1.Object)) *hubWatch {
	w := &hubWatch{cluster: cluster, changed: changed, begun: map[schema.GroupKind]bool{}, blind: 1}
	config, err := fakehub.Config(ctx, cluster)
	if err != nil {
		return w
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return w
	}
	done.Go(func() { w.kinds(ctx, client, done) })
	return w
}

// whole reports whether every kind is watched at the moment.
func (w *hubWatch) whole() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blind == 0
}

// addBlind changes the number of watches that are not running.
func (w *hubWatch) addBlind(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blind += n
}

// kinds starts a watch of every kind that the cluster serves, and of kinds that are installed later.
func (w *hubWatch) kinds(ctx context.Context, client metadata.Interface, done *sync.WaitGroup) {
	known := false
	for ctx.Err() == nil {
		kinds, err := w.cluster.Kinds(ctx)
		if err == nil {
			for _, kind := range kinds {
				w.begin(ctx, client, kind, done)
			}
			if !known {
				known = true
				w.addBlind(-1)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(unseen):
		}
	}
}

// begin watches a kind that was not watched.
func (w *hubWatch) begin(ctx context.Context, client metadata.Interface, kind kube.Kind, done *sync.WaitGroup) {
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Resource}
	name := kind.GVK().GroupKind()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun[name] || !slices.Contains(kind.Verbs, "watch") || ofNoPlacement[name] {
		return
	}
	w.begun[name] = true
	w.blind++
	done.Go(func() {
		for ctx.Err() == nil {
			w.watch(ctx, client.Resource(resource), name)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
}

// ofNoPlacement are kinds that are written constantly and that no placement selects.
var ofNoPlacement = map[schema.GroupKind]bool{
	{Kind: "Event"}: true, {Group: "events.k8s.io", Kind: "Event"}: true, {Group: "coordination.k8s.io", Kind: "Lease"}: true,
}

// watch reports changes to a kind until the watch ends. Objects that exist when it starts count as changes.
func (w *hubWatch) watch(ctx context.Context, client metadata.Getter, kind schema.GroupKind) {
	running, err := client.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	defer running.Stop()
	w.addBlind(-1)
	defer w.addBlind(1)
	for event := range running.ResultChan() {
		object, err := meta.Accessor(event.Object)
		if event.Type == watch.Error || err != nil {
			return
		}
		w.changed(kind, object)
	}
}
