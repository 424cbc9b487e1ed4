package standin

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// listed are the objects on members, read once in a round and all of a kind at a time. A control plane has them in its caches; one request for each
// object would make the rounds last longer than what tests wait for.
type listed struct {
	mu    sync.Mutex
	kinds map[string]func() (map[string]*unstructured.Unstructured, error)
}

// find is an object as it was in this round; nil if there was none. What is to be written is read anew.
func (l *listed) find(ctx context.Context, on *kube.Cluster, id manifest.Identifier) (*unstructured.Unstructured, error) {
	gvk := id.GroupVersionKind()
	l.mu.Lock()
	kind := on.Name() + " " + gvk.String()
	read := l.kinds[kind]
	if read == nil {
		read = sync.OnceValues(func() (map[string]*unstructured.Unstructured, error) {
			found, err := on.List(kube.ReadAnew(ctx), gvk, "", "")
			out := make(map[string]*unstructured.Unstructured, len(found))
			for _, u := range found {
				out[u.GetNamespace()+"/"+u.GetName()] = u
			}
			return out, err
		})
		l.kinds[kind] = read
	}
	l.mu.Unlock()
	found, err := read()
	return found[id.Namespace+"/"+id.Name], err
}
