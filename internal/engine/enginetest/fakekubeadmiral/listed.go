package fakekubeadmiral

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// syncTimeout bounds the first read of a kind.
const syncTimeout = 10 * time.Second

// lists caches the objects on the host and on its members with informers. The informer of a kind starts with the first read of the kind. The
// caches of the real control plane can be stale in the same way.
type lists struct {
	// start runs an informer until stop is called or the control plane ends.
	start func(cache.SharedIndexInformer) (stop func())

	mu      sync.Mutex
	clients map[*kube.Cluster]dynamic.Interface
	known   map[kindOn]*list
	// changes counts the changes of all kinds that have an informer.
	changes int
}

// kindOn is a kind on a cluster.
type kindOn struct {
	cluster *kube.Cluster
	kind    schema.GroupVersionKind
}

// list holds the objects of a kind.
type list struct {
	informer cache.SharedIndexInformer
	stop     func()
}

// newLists returns an empty cache. Its informers run until ctx ends; done counts them.
func newLists(ctx context.Context, done *sync.WaitGroup) *lists {
	start := func(informer cache.SharedIndexInformer) func() {
		running, stop := context.WithCancel(ctx)
		done.Go(func() { informer.RunWithContext(running) })
		return stop
	}
	return &lists{start: start, clients: map[*kube.Cluster]dynamic.Interface{}, known: map[kindOn]*list{}}
}

// changed counts a change.
func (l *lists) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
}

// count returns the number of changes so far.
func (l *lists) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changes
}

// all returns the objects of a kind on a cluster, which are read-only.
func (l *lists) all(ctx context.Context, on *kube.Cluster, gvk schema.GroupVersionKind) ([]*unstructured.Unstructured, error) {
	store, err := l.store(ctx, on, gvk)
	if err != nil {
		return nil, err
	}
	found := store.List()
	out := make([]*unstructured.Unstructured, 0, len(found))
	for _, one := range found {
		out = append(out, one.(*unstructured.Unstructured)) //nolint:forcetypeassert // it comes from the dynamic client
	}
	return out, nil
}

// find returns a cached object, or nil. Read an object again before you write it.
func (l *lists) find(ctx context.Context, on *kube.Cluster, id manifest.Identifier) (*unstructured.Unstructured, error) {
	store, err := l.store(ctx, on, id.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	one, found, err := store.GetByKey(cache.NewObjectName(id.Namespace, id.Name).String())
	if err != nil || !found {
		return nil, err
	}
	return one.(*unstructured.Unstructured), nil //nolint:forcetypeassert // it comes from the dynamic client
}

// store returns the synced cache of a kind.
func (l *lists) store(ctx context.Context, on *kube.Cluster, gvk schema.GroupVersionKind) (cache.Store, error) {
	mapping, err := on.Resolve(kube.ReadUnshared(ctx), gvk)
	if kube.IsUnknownKind(err) {
		l.forget(kindOn{on, gvk})
	}
	if err != nil {
		return nil, err
	}
	known, err := l.list(ctx, kindOn{on, gvk}, mapping.GVR)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), known.informer.HasSynced) {
		return nil, fmt.Errorf("%s: the cache of kind %s did not sync within %s", on.Name(), gvk.Kind, syncTimeout)
	}
	return known.informer.GetStore(), nil
}

// list returns the cache of a kind. The first call starts its informer.
func (l *lists) list(ctx context.Context, key kindOn, resource schema.GroupVersionResource) (*list, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.known[key]; known != nil {
		return known, nil
	}
	client, err := l.client(ctx, key.cluster)
	if err != nil {
		return nil, err
	}
	informer := informerOf(client, resource)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { l.changed() }, UpdateFunc: func(any, any) { l.changed() }, DeleteFunc: func(any) { l.changed() },
	}); err != nil {
		return nil, err
	}
	// By default, the informer logs an error when a CustomResourceDefinition is deleted.
	if err := informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}); err != nil {
		return nil, err
	}
	known := &list{informer: informer, stop: l.start(informer)}
	l.known[key] = known
	return known, nil
}

// informerOf returns an informer of all objects of a kind. Package dynamicinformer has the same, but imports the informers of all built-in kinds.
func informerOf(client dynamic.Interface, resource schema.GroupVersionResource) cache.SharedIndexInformer {
	objects := client.Resource(resource)
	return cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return objects.Watch(ctx, options)
		},
	}, client), &unstructured.Unstructured{}, cache.SharedIndexInformerOptions{ObjectDescription: resource.String()})
}

// forget stops the informer of a kind that a cluster no longer serves. If the kind is installed again, a new informer starts without waiting for a retry of the
// old one.
func (l *lists) forget(key kindOn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.known[key]; known != nil {
		known.stop()
		delete(l.known, key)
	}
}

// client returns the client of a cluster. The caller holds l.mu.
func (l *lists) client(ctx context.Context, on *kube.Cluster) (dynamic.Interface, error) {
	if client := l.clients[on]; client != nil {
		return client, nil
	}
	config, err := fakehub.Config(ctx, on)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	if err == nil {
		l.clients[on] = client
	}
	return client, err
}

// decodings are decoded objects by UID and resourceVersion.
type decodings map[string]any

// decoded returns the objects of a KubeAdmiral kind on the host. It reuses the decoded objects of the last view that have not changed.
func decoded[T any](ctx context.Context, read reader, kind string, last, next decodings) ([]T, error) {
	found, err := read(ctx, v1alpha1.GroupVersion.WithKind(kind))
	if err != nil {
		return nil, err
	}
	out := make([]T, 0, len(found))
	for _, u := range found {
		key := string(u.GetUID()) + "/" + u.GetResourceVersion()
		one, known := last[key].(*T)
		if !known {
			if one, err = codec.Decode[T](u); err != nil {
				return nil, err
			}
		}
		next[key] = one
		out = append(out, *one)
	}
	return out, nil
}
