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

// World is a test's part of the clusters: a namespace on each, and what the test and others do there.
type World struct {
	testing.TB
	Env *clusters.Env
	// Name is that of the namespaces, and of whatever else is to be the test's own. No other test and no earlier run has it.
	Name string
	// Clusters are those with the namespace.
	Clusters []string
	// Names are further ones that texts may use, such as "$group", with what they stand for.
	Names map[string]string
	// made are objects without a namespace, which do not go with the world's.
	made map[string][]fixture.Ref
}

// New makes a world on clusters of env, or skips the test if there are none. prefix begins its name.
func New(tb testing.TB, env *clusters.Env, prefix string, names ...string) *World {
	tb.Helper()
	clusters.Need(tb, env)
	w := &World{
		TB: tb, Env: env, Name: prefix + "-" + strings.ToLower(rand.Text()[:8]), Clusters: names, made: map[string][]fixture.Ref{},
	}
	for _, name := range names {
		w.Put(name, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns, labels: {case: $ns}}}")
	}
	if !env.Disposable() {
		tb.Cleanup(w.tidy)
	}
	return w
}

// For is the same world for a part of its test, to which what fails then belongs.
func (w *World) For(tb testing.TB) *World {
	out := *w
	out.TB = tb
	return &out
}

// tidyTimeout bounds the end of a world.
const tidyTimeout = time.Minute

// tidy removes what has no namespace, the last first, and with the namespaces everything else. It does not wait for what goes with them.
func (w *World) tidy() {
	ctx, cancel := context.WithTimeout(context.Background(), tidyTimeout)
	defer cancel()
	for cluster, refs := range w.made {
		client := w.On(cluster)
		for _, ref := range slices.Backward(refs) {
			u, err := client.Find(ctx, ref)
			if err == nil && u != nil {
				err = client.Drop(ctx, u)
			}
			if err != nil {
				w.Errorf("%s: %s is left behind: %v", cluster, ref, err)
			}
		}
	}
}

// At says that an object without a namespace is, or is going to be, on a cluster.
func (w *World) At(cluster string, ref fixture.Ref) {
	if !slices.Contains(w.made[cluster], ref) {
		w.made[cluster] = append(w.made[cluster], ref)
	}
}

// On is a client of a cluster.
func (w *World) On(cluster string) *fixture.Client {
	w.Helper()
	client, err := w.Env.Client(cluster)
	if err != nil {
		w.Fatal(err)
	}
	return client
}

// Expand puts the world's name in place of $ns, and others in place of theirs.
func (w *World) Expand(text string) string {
	for name, value := range w.Names {
		text = strings.ReplaceAll(text, name, value)
	}
	return strings.ReplaceAll(text, "$ns", w.Name)
}

// Objects reads YAML and puts what is namespaced into the world's namespace if it is in none. A kind that is not served is taken for one
// whose objects are in namespaces. What is in none counts as made on all clusters of the world.
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
				w.At(cluster, fixture.RefOf(u))
			}
		}
	}
	return out
}

// Put creates objects on a cluster as somebody else would, and returns the last.
func (w *World) Put(cluster, text string) *unstructured.Unstructured {
	w.Helper()
	return w.PutAs(cluster, fixture.Manager, text)
}

// PutAs does so as a field manager.
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

// Ref is the name of an object.
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

// Find reads an object; nil if there is none, or no such kind.
func (w *World) Find(cluster, object string) *unstructured.Unstructured {
	w.Helper()
	return w.FindRef(cluster, w.Ref(cluster, object))
}

// FindRef is [World.Find] for an object whose namespace is known.
func (w *World) FindRef(cluster string, ref fixture.Ref) *unstructured.Unstructured {
	w.Helper()
	u, err := w.On(cluster).Find(w.Context(), ref)
	if err != nil {
		w.Fatalf("%s: %v", cluster, err)
	}
	return u
}

// Must reads an object that is there.
func (w *World) Must(cluster, object string) *unstructured.Unstructured {
	w.Helper()
	u := w.Find(cluster, object)
	if u == nil {
		w.Fatalf("%s: there is no %s", cluster, w.Expand(object))
	}
	return u
}

// Value is a field of an object; nil if it is not there.
func (w *World) Value(cluster, object string, path ...string) any {
	w.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(w.Must(cluster, object).Object, path...)
	if err != nil {
		w.Fatal(err)
	}
	return value
}

// Edit merges a patch, written as YAML, into an object as somebody else would.
func (w *World) Edit(cluster, object, patch string) {
	w.Helper()
	w.EditAs(cluster, fixture.Manager, "", object, patch)
}

// EditAs does so as a field manager, and through a subresource if one is named.
func (w *World) EditAs(cluster, manager, subresource, object, patch string) {
	w.Helper()
	if err := w.On(cluster).As(manager).Merge(w.Context(), w.Ref(cluster, object), w.json(patch), subresource, false); err != nil {
		w.Fatalf("%s: %s: %v", cluster, w.Expand(object), err)
	}
}

// Remove deletes an object as somebody else would, and does not wait.
func (w *World) Remove(cluster, object string) {
	w.Helper()
	if err := w.On(cluster).Drop(w.Context(), w.Must(cluster, object)); err != nil {
		w.Fatalf("%s: %s: %v", cluster, w.Expand(object), err)
	}
}

// Says fails the test for every part that a text does not have.
func (w *World) Says(text string, parts ...string) {
	w.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			w.Errorf("%q does not say %q", text, part)
		}
	}
}

// FreeAtEnd removes the finalizers of an object when the test ends, for one that would never go.
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
