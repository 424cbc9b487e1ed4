package takeover

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// world is one case's part of the member: a namespace, and a placement of the same name.
type world struct {
	*testing.T
	*prepared
	// name is that of the namespace and the placement; texts may call it $ns.
	name string
	// engine is the one under test, behind the recorder; reader is one whose credentials may only read, nil without such.
	engine, reader *direct.Engine
	readerCluster  *kube.Cluster
	// wide are the case's objects without a namespace.
	wide []kube.Ref
	// status is what the apply has reported of the member.
	status placement.ClusterStatus
}

var cases atomic.Int64

func newWorld(t *testing.T) *world {
	t.Helper()
	clusters.Need(t, env)
	shared, err := prepare()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, prepared: shared, name: fmt.Sprintf("takeover-%d", cases.Add(1))}
	w.do(put("kubectl-create", "{apiVersion: v1, kind: Namespace, metadata: {name: $ns, labels: {case: $ns}}}"))
	options := kube.Options{UserAgent: w.name, ShareFor: -1} // every preview looks for itself
	w.engine = w.engineWith(connect(shared.recorder.Kubeconfig(), shared.member, shared.member, options))
	if readonly := clusters.Readonly(shared.member); env.Has(readonly) {
		w.readerCluster = connect(shared.recorder.Kubeconfig(), shared.member, readonly, options)
		w.reader = w.engineWith(w.readerCluster)
	}
	t.Cleanup(w.tidy)
	return w
}

func (w *world) engineWith(cluster *kube.Cluster) *direct.Engine {
	return direct.New(direct.Config{Members: map[string]*kube.Cluster{w.member: cluster}, Version: "test"})
}

// tidy removes the records of the case's placement, which all others would read, and everything else on clusters that do not end with the
// tests. It does not wait.
func (w *world) tidy() {
	leavings := []kube.Ref{
		refOf("v1 ConfigMap " + direct.Namespace + "/placement-" + w.name), refOf("v1 Secret " + direct.Namespace + "/placement-" + w.name),
	}
	if !env.CanStopMembers() {
		leavings = append(leavings, w.wide...)
	}
	for _, ref := range leavings {
		if u, err := w.past.Get(context.Background(), ref.GVK, ref.Namespace, ref.Name); err == nil {
			_ = w.past.Delete(context.Background(), ref, u.GetUID(), "Background")
		}
	}
}

// step is something that others do on the member.
type step func(w *world)

func (w *world) do(steps ...step) {
	w.Helper()
	for _, s := range steps {
		s(w)
	}
}

// writer is a client with a field manager of its own, past the recorder.
func (w *world) writer(manager string) *kube.Cluster {
	return connect(env.Kubeconfig, w.member, w.member, kube.Options{FieldManager: manager, UserAgent: manager})
}

// put creates objects as a field manager.
func put(manager, text string) step {
	return func(w *world) {
		w.Helper()
		for _, u := range w.objects(text) {
			if _, err := w.writer(manager).Create(w.Context(), u, kube.WriteOptions{}); err != nil {
				w.Fatal(err)
			}
		}
	}
}

// edit merges a patch, written as YAML, into an object.
func edit(manager, object, patch string) step { return through("", manager, object, patch) }

// through does it through a subresource.
func through(subresource, manager, object, patch string) step {
	return func(w *world) {
		w.Helper()
		data, err := yaml.YAMLToJSON([]byte(w.expand(patch)))
		if err != nil {
			w.Fatal(err)
		}
		options := kube.WriteOptions{Subresource: subresource}
		if _, err := w.writer(manager).Patch(w.Context(), w.ref(object), types.MergePatchType, data, options); err != nil {
			w.Fatal(err)
		}
	}
}

// ownedBy sets the owner references of an object, to objects that exist.
func ownedBy(object string, owners ...string) step {
	return func(w *world) {
		w.Helper()
		var references []map[string]any
		for _, text := range owners {
			owner := w.must(text)
			references = append(references, map[string]any{
				"apiVersion": owner.GetAPIVersion(), "kind": owner.GetKind(), "name": owner.GetName(), "uid": string(owner.GetUID()),
			})
		}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": references}})
		if err != nil {
			w.Fatal(err)
		}
		edit("owner", object, string(patch))(w)
	}
}

// remove deletes an object, and does not wait.
func remove(object string) step {
	return func(w *world) {
		w.Helper()
		if err := w.past.Delete(w.Context(), w.ref(object), w.must(object).GetUID(), "Background"); err != nil {
			w.Fatal(err)
		}
	}
}

// placedBy has another placement of the direct engine place objects.
func placedBy(name, text string) step {
	return func(w *world) {
		w.Helper()
		request := engine.PlacementRequest{Name: w.expand(name), Manifests: w.manifests(text), Create: true}
		if _, err := w.engineWith(w.past).ApplyPlacement(w.Context(), request); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) expand(text string) string { return strings.ReplaceAll(text, "$ns", w.name) }

// documents reads YAML; it is for texts that are known to be right.
func documents(text string) []*unstructured.Unstructured {
	out, err := fixture.Parse([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, text))
	}
	return out
}

// objects reads YAML and puts what is namespaced into the case's namespace.
func (w *world) objects(text string) []*unstructured.Unstructured {
	w.Helper()
	out := documents(w.expand(text))
	for _, u := range out {
		mapping, err := w.past.Resolve(w.Context(), u.GroupVersionKind())
		if namespaced := err != nil || mapping.Namespaced; namespaced && u.GetNamespace() == "" {
			u.SetNamespace(w.name)
		} else if !namespaced {
			w.wide = append(w.wide, kube.RefOf(u))
		}
	}
	return out
}

// manifests are the objects as a placement has them.
func (w *world) manifests(text string) map[string]string {
	w.Helper()
	out := map[string]string{}
	for i, u := range w.objects(text) {
		data, err := yaml.Marshal(u.Object)
		if err != nil {
			w.Fatal(err)
		}
		out[fmt.Sprintf("%02d.yaml", i)] = string(data)
	}
	return out
}

// refOf reads "apps/v1 Deployment name", with a namespace before the name if it is not the case's.
func refOf(text string) kube.Ref {
	parts := append(strings.Fields(text), "", "")
	gv, err := schema.ParseGroupVersion(parts[0])
	if err != nil {
		panic(err)
	}
	ref := kube.Ref{GVK: gv.WithKind(parts[1]), Name: parts[2]}
	if namespace, name, found := strings.Cut(parts[2], "/"); found {
		ref.Namespace, ref.Name = namespace, name
	}
	return ref
}

func (w *world) ref(text string) kube.Ref {
	w.Helper()
	ref := refOf(w.expand(text))
	mapping, err := w.past.Resolve(w.Context(), ref.GVK)
	if err != nil {
		w.Fatal(err)
	}
	if mapping.Namespaced && ref.Namespace == "" {
		ref.Namespace = w.name
	}
	return ref
}

// get reads an object past the recorder; nil if there is none, or no such kind.
func (w *world) get(ref kube.Ref) *unstructured.Unstructured {
	w.Helper()
	u, err := w.past.Get(w.Context(), ref.GVK, ref.Namespace, ref.Name)
	if kube.IsNotFound(err) || kube.IsUnknownKind(err) {
		return nil
	}
	if err != nil {
		w.Fatal(err)
	}
	return u
}

func (w *world) must(object string) *unstructured.Unstructured {
	w.Helper()
	u := w.get(w.ref(object))
	if u == nil {
		w.Fatalf("there is no %s", w.expand(object))
	}
	return u
}

// value is a field of an object; nil if it is not there.
func (w *world) value(object string, path ...string) any {
	w.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(w.must(object).Object, path...)
	if err != nil {
		w.Fatal(err)
	}
	return value
}

// request asks for objects to be placed.
func (w *world) request(text string, how placement.ApplyStrategy) engine.PlacementRequest {
	w.Helper()
	return engine.PlacementRequest{
		Name: w.name, Manifests: w.manifests(text), Create: true, Spec: placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &how}},
	}
}

// requests are those that the engines under test have sent.
func (w *world) requests() []clusters.Request {
	var out []clusters.Request
	for _, r := range w.recorder.Requests() {
		if r.UserAgent == w.name {
			out = append(out, r)
		}
	}
	return out
}
