package world

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// World is a test's part of the clusters: a namespace on each, with helpers for the test's actions and those of other clients.
type World struct {
	testing.TB
	Env *clusters.Env
	// Name is the name of the namespaces, and of everything else that belongs to the test alone. No other test and no earlier run has it.
	Name string
	// Clusters are the clusters with the namespace.
	Clusters []string
	// Names are further placeholders for texts, such as "$group", with their values.
	Names map[string]string
	// clusterScoped are the cluster-scoped objects of each cluster, including the world's namespace, in the order of registration.
	clusterScoped map[string][]fixture.Ref
}

// New creates a world on clusters of env. Without clusters it skips the test. prefix begins the world's name.
func New(tb testing.TB, env *clusters.Env, prefix string, names ...string) *World {
	tb.Helper()
	clusters.Need(tb, env)
	w := &World{
		TB: tb, Env: env, Name: prefix + "-" + strings.ToLower(rand.Text()[:8]), Clusters: names, clusterScoped: map[string][]fixture.Ref{},
	}
	for _, name := range names {
		w.Put(name, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns, labels: {case: $ns}}}")
	}
	if !env.Disposable() {
		tb.Cleanup(w.tidy)
	}
	return w
}

// For returns the same world for a subtest. Its failures are then failures of the subtest.
func (w *World) For(tb testing.TB) *World {
	out := *w
	out.TB = tb
	return &out
}

// tidyTimeout bounds the cleanup of a world.
const tidyTimeout = time.Minute

// tidy deletes the cluster-scoped objects in reverse order, so the world's namespaces last. It does not wait until the contents of the namespaces are deleted.
func (w *World) tidy() {
	ctx, cancel := context.WithTimeout(context.Background(), tidyTimeout)
	defer cancel()
	for cluster, refs := range w.clusterScoped {
		client := w.On(cluster)
		for _, ref := range slices.Backward(refs) {
			u, err := client.Find(ctx, ref)
			if err == nil && u != nil {
				err = client.Drop(ctx, u)
			}
			if err != nil {
				w.Errorf("%s: %s was not deleted: %v", cluster, ref, err)
			}
		}
	}
}

// RemoveAtEnd deletes a cluster-scoped object when the test ends. The object need not exist yet.
func (w *World) RemoveAtEnd(cluster string, ref fixture.Ref) {
	if !slices.Contains(w.clusterScoped[cluster], ref) {
		w.clusterScoped[cluster] = append(w.clusterScoped[cluster], ref)
	}
}

// On returns a client of a cluster.
func (w *World) On(cluster string) *fixture.Client {
	w.Helper()
	client, err := w.Env.Client(cluster)
	if err != nil {
		w.Fatal(err)
	}
	return client
}

// Expand replaces $ns with the world's name, and other placeholders with their values.
func (w *World) Expand(text string) string {
	for name, value := range w.Names {
		text = strings.ReplaceAll(text, name, value)
	}
	return strings.ReplaceAll(text, "$ns", w.Name)
}

// Objects parses YAML and sets the world's namespace in namespaced objects without one. It treats a kind that is not served as namespaced. It registers
// cluster-scoped objects on all clusters of the world.
func (w *World) Objects(text string) []*unstructured.Unstructured {
	w.Helper()
	return w.objects(text, w.Clusters)
}

func (w *World) objects(text string, where []string) []*unstructured.Unstructured {
	w.Helper()
	out, err := fixture.Parse([]byte(w.Expand(text)))
	if err != nil {
		w.Fatalf("%v in\n%s", err, text)
	}
	for _, u := range out {
		namespaced, err := w.On(where[0]).Namespaced(u.GroupVersionKind())
		switch {
		case (namespaced || err != nil) && u.GetNamespace() == "":
			u.SetNamespace(w.Name)
		case !namespaced && err == nil:
			for _, cluster := range where {
				w.RemoveAtEnd(cluster, fixture.RefOf(u))
			}
		}
	}
	return out
}

// Put creates objects on a cluster as another client, and returns the last one.
func (w *World) Put(cluster, text string) *unstructured.Unstructured {
	w.Helper()
	return w.PutAs(cluster, fixture.Manager, text)
}

// PutAs does the same as [World.Put] with a field manager.
func (w *World) PutAs(cluster, manager, text string) *unstructured.Unstructured {
	w.Helper()
	var last *unstructured.Unstructured
	for _, u := range w.objects(text, []string{cluster}) {
		stored, err := w.On(cluster).As(manager).Add(w.Context(), u, false)
		if err != nil {
			w.Fatalf("%s: %s: %v", cluster, fixture.RefOf(u), err)
		}
		last = stored
	}
	return last
}

// Ref returns the reference to an object.
func (w *World) Ref(cluster, object string) fixture.Ref {
	w.Helper()
	ref := fixture.ParseRef(w.Expand(object))
	if ref.Namespace != "" {
		return ref
	}
	if namespaced, err := w.On(cluster).Namespaced(ref.GVK()); namespaced || err != nil {
		ref.Namespace = w.Name
	}
	return ref
}

// Find returns an object, nil if the object or its kind does not exist.
func (w *World) Find(cluster, object string) *unstructured.Unstructured {
	w.Helper()
	return w.FindRef(cluster, w.Ref(cluster, object))
}

// FindRef does the same as [World.Find] for an object whose namespace is known.
func (w *World) FindRef(cluster string, ref fixture.Ref) *unstructured.Unstructured {
	w.Helper()
	u, err := w.On(cluster).Find(w.Context(), ref)
	if err != nil {
		w.Fatalf("%s: %v", cluster, err)
	}
	return u
}

// Must returns an existing object.
func (w *World) Must(cluster, object string) *unstructured.Unstructured {
	w.Helper()
	u := w.Find(cluster, object)
	if u == nil {
		w.Fatalf("%s: %s does not exist", cluster, w.Expand(object))
	}
	return u
}

// Value returns a field of an existing object, nil if the field is missing.
func (w *World) Value(cluster, object string, path ...string) any {
	w.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(w.Must(cluster, object).Object, path...)
	if err != nil {
		w.Fatal(err)
	}
	return value
}

// Edit merges a patch, written as YAML, into an object as another client.
func (w *World) Edit(cluster, object, patch string) {
	w.Helper()
	w.EditAs(cluster, fixture.Manager, "", object, patch)
}

// EditAs does the same as [World.Edit] with a field manager, and through a subresource if one is named.
func (w *World) EditAs(cluster, manager, subresource, object, patch string) {
	w.Helper()
	if err := w.On(cluster).As(manager).Merge(w.Context(), w.Ref(cluster, object), w.json(patch), subresource, false); err != nil {
		w.Fatalf("%s: %s: %v", cluster, w.Expand(object), err)
	}
}

// Remove deletes an object as another client, and does not wait.
func (w *World) Remove(cluster, object string) {
	w.Helper()
	if err := w.On(cluster).Drop(w.Context(), w.Must(cluster, object)); err != nil {
		w.Fatalf("%s: %s: %v", cluster, w.Expand(object), err)
	}
}

// Contains checks that a text contains all parts.
func (w *World) Contains(text string, parts ...string) {
	w.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			w.Errorf("%q does not contain %q", text, part)
		}
	}
}

// FreeAtEnd removes the finalizers of an object when the test ends, so that its deletion can finish.
func (w *World) FreeAtEnd(cluster, object string) {
	w.Helper()
	ref := w.Ref(cluster, object)
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), tidyTimeout)
		defer cancel()
		if err := w.On(cluster).Merge(ctx, ref, []byte(`{"metadata":{"finalizers":null}}`), "", false); err != nil {
			w.Error(err)
		}
	})
}
