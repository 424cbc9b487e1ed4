package standin

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
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// synced is how long the objects of a kind may take to come when they are asked for first.
const synced = 10 * time.Second

// lists caches the objects on the host and on its members, from the first time that somebody asks for their kind. The caches of the real control
// plane can be a moment old in the same way.
type lists struct {
	// start runs an informer until it is stopped, or the control plane ends.
	start func(cache.SharedIndexInformer) (stop func())

	mu      sync.Mutex
	clients map[*kube.Cluster]dynamic.Interface
	known   map[kindOn]*list
	// changes counts those of all kinds that were asked for.
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

// newLists knows nothing yet. Its informers run until ctx ends; done counts them.
func newLists(ctx context.Context, done *sync.WaitGroup) *lists {
	start := func(informer cache.SharedIndexInformer) func() {
		running, stop := context.WithCancel(ctx)
		done.Go(func() { informer.RunWithContext(running) })
		return stop
	}
	return &lists{start: start, clients: map[*kube.Cluster]dynamic.Interface{}, known: map[kindOn]*list{}}
}

// changed counts a change that no informer sees.
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

// all are the objects of a kind on a cluster, which are read-only.
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

// find returns an object as it was seen last, or nil. Read an object again before you write it.
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

// store has the objects of a kind, which are all there.
func (l *lists) store(ctx context.Context, on *kube.Cluster, gvk schema.GroupVersionKind) (cache.Store, error) {
	mapping, err := on.Resolve(kube.ReadAnew(ctx), gvk)
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
	ctx, cancel := context.WithTimeout(ctx, synced)
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), known.informer.HasSynced) {
		return nil, fmt.Errorf("the objects of kind %s on %s are not there after %s", gvk.Kind, on.Name(), synced)
	}
	return known.informer.GetStore(), nil
}

// list begins to watch a kind, if nobody has asked for it before.
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
	// A kind may go again, which is no trouble.
	if err := informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}); err != nil {
		return nil, err
	}
	known := &list{informer: informer, stop: l.start(informer)}
	l.known[key] = known
	return known, nil
}

// informerOf watches all objects of a kind. Package dynamicinformer, which has the same, brings the informers of all built-in kinds with it.
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

// forget ends the watch of a kind that a cluster does not serve any more: if it comes back, it is watched at once.
func (l *lists) forget(key kindOn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.known[key]; known != nil {
		known.stop()
		delete(l.known, key)
	}
}

// client is one of a cluster; l.mu is to be locked.
func (l *lists) client(ctx context.Context, on *kube.Cluster) (dynamic.Interface, error) {
	if client := l.clients[on]; client != nil {
		return client, nil
	}
	reach, err := on.Handover(ctx)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(&clientgo.Config{
		Host: reach.URL, BearerToken: reach.Token, QPS: -1,
		TLSClientConfig: clientgo.TLSClientConfig{Insecure: reach.Insecure, CAData: reach.CA, CertData: reach.Certificate, KeyData: reach.Key},
	})
	if err == nil {
		l.clients[on] = client
	}
	return client, err
}

// decoded are the objects of a kind of KubeAdmiral on the host.
func decoded[T any](ctx context.Context, h *Host, kind string) ([]T, error) {
	found, err := h.lists.all(ctx, h.set.Hub, v1alpha1.GroupVersion.WithKind(kind))
	if err != nil {
		return nil, err
	}
	out := make([]T, 0, len(found))
	for _, u := range found {
		one, err := convert.Decode[T](u)
		if err != nil {
			return nil, err
		}
		out = append(out, *one)
	}
	return out, nil
}
