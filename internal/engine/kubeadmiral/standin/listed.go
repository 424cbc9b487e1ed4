package standin

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/standin"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// lists caches the objects on the host and on its members. A kind is listed at most once a round, and only if one of its objects has changed
// since. The caches of the real control plane can be a moment old in the same way.
type lists struct {
	mu sync.Mutex
	// watches has one watch a cluster; changes counts all changes that they reported.
	watches map[*kube.Cluster]*standin.Watch
	changes int
	count   map[kindOn]int
	round   int
	known   map[kindOn]*list
}

// kindOn is a kind on a cluster.
type kindOn struct {
	cluster *kube.Cluster
	kind    schema.GroupKind
}

// list holds the objects of a kind by namespace and name. It was read in the given round, after count changes. The objects are read-only.
type list struct {
	round, count int
	read         func() (map[string]*unstructured.Unstructured, error)
}

func newLists() *lists {
	return &lists{watches: map[*kube.Cluster]*standin.Watch{}, count: map[kindOn]int{}, known: map[kindOn]*list{}}
}

// watch counts the changes on a cluster from now on.
func (l *lists) watch(ctx context.Context, cluster *kube.Cluster, done *sync.WaitGroup) {
	watch := standin.Start(ctx, cluster, done, func(kind schema.GroupKind, _ metav1.Object) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.count[kindOn{cluster, kind}]++
		l.changes++
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watches[cluster] = watch
}

// changed counts a change that no watch reports.
func (l *lists) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
}

// begin begins a round, and returns the number of changes before it.
func (l *lists) begin() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.round++
	return l.changes
}

// current reports whether all kinds are watched and changes is still the number of changes.
func (l *lists) current(changes int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, watch := range l.watches {
		if !watch.Whole() {
			return false
		}
	}
	return l.changes == changes
}

// all are the objects of a kind on a cluster.
func (l *lists) all(ctx context.Context, on *kube.Cluster, gvk schema.GroupVersionKind) (map[string]*unstructured.Unstructured, error) {
	key := kindOn{on, gvk.GroupKind()}
	l.mu.Lock()
	known := l.known[key]
	if known == nil || known.round != l.round && (known.count != l.count[key] || !l.watches[on].Sees(key.kind)) {
		known = &list{count: l.count[key], read: sync.OnceValues(func() (map[string]*unstructured.Unstructured, error) {
			found, err := on.List(kube.ReadAnew(ctx), gvk, "", "")
			out := make(map[string]*unstructured.Unstructured, len(found))
			for _, u := range found {
				out[u.GetNamespace()+"/"+u.GetName()] = u
			}
			return out, err
		})}
		l.known[key] = known
	}
	known.round = l.round
	l.mu.Unlock()
	found, err := known.read()
	if err != nil {
		l.mu.Lock()
		known.count = -1 // not to be taken for current in the next round
		l.mu.Unlock()
	}
	return found, err
}

// find returns an object as listed in this round, or nil. Read an object again before you write it.
func (l *lists) find(ctx context.Context, on *kube.Cluster, id manifest.Identifier) (*unstructured.Unstructured, error) {
	found, err := l.all(ctx, on, id.GroupVersionKind())
	return found[id.Namespace+"/"+id.Name], err
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
