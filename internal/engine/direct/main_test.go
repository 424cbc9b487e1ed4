package direct_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

var env *clusters.Env

func TestMain(m *testing.M) {
	os.Exit(clusters.Main(m, clusters.Options{Members: 2, NoWorkloads: true}, &env))
}

var (
	configMapGVK = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	secretGVK    = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	namespaceGVK = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
)

const partOf = "applyset.kubernetes.io/part-of"

// world is the hub and the members, and a recorder in front of them.
type world struct {
	t *testing.T
	*clusters.Recorder
	direct map[string]*kube.Cluster // past the recorder
}

func newWorld(t *testing.T) *world {
	t.Helper()
	clusters.Need(t, env)
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{PlainHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = recorder.Close() })
	past, err := joined()
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, Recorder: recorder, direct: past}
}

// joined registers the members, once, and returns clients that do not pass a recorder.
var joined = sync.OnceValues(func() (map[string]*kube.Cluster, error) {
	past := map[string]*kube.Cluster{}
	for _, name := range env.Contexts() {
		past[name] = connect(env.Kubeconfig, name)
	}
	e := direct.New(direct.Config{Members: membersOf(past)})
	for _, name := range env.Members {
		if _, err := e.ApplyMember(context.Background(), member.Spec{Name: name}, "", false); err != nil {
			return nil, err
		}
	}
	return past, nil
})

func membersOf(all map[string]*kube.Cluster) map[string]*kube.Cluster {
	out := map[string]*kube.Cluster{}
	for _, name := range env.Members {
		out[name] = all[name]
	}
	return out
}

func connect(kubeconfig, name string) *kube.Cluster {
	return kube.NewCluster(name, connection.Connection{ConfigPath: kubeconfig, ConfigContext: name}, kube.Options{QPS: -1, Timeout: 5 * time.Second}, nil)
}

func (w *world) members(kubeconfig string) map[string]*kube.Cluster {
	out := map[string]*kube.Cluster{}
	for _, name := range env.Members {
		out[name] = connect(kubeconfig, name)
	}
	return out
}

// engine is a new one that knows nothing, without a hub.
func (w *world) engine() *direct.Engine {
	return direct.New(direct.Config{Members: w.members(w.Kubeconfig()), Version: "test"})
}

// placing asks for manifests on all members.
func placing(name string, manifests ...string) engine.PlacementRequest {
	request := engine.PlacementRequest{Name: name, Manifests: map[string]string{}, Create: true}
	for i, text := range manifests {
		request.Manifests[fmt.Sprintf("%d.yaml", i)] = text
	}
	return request
}

// strategy sets how objects are applied.
func strategy(request engine.PlacementRequest, how placement.ApplyType, when placement.WhenToTakeOver) engine.PlacementRequest {
	request.Spec.Strategy = &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{Type: how, WhenToTakeOver: when}}
	return request
}

// after is the request for the next apply.
func after(request engine.PlacementRequest, status placement.Status) engine.PlacementRequest {
	request.Create, request.Prior = false, &status
	return request
}

func (w *world) apply(request engine.PlacementRequest) *engine.Result {
	w.t.Helper()
	result, err := w.engine().ApplyPlacement(w.t.Context(), request)
	if err != nil {
		w.t.Fatal(err)
	}
	return result
}

// complete fails the test if a status is not as an undisturbed apply leaves it.
func (w *world) complete(status placement.Status) {
	w.t.Helper()
	for _, name := range env.Members {
		cluster, found := status.Clusters[name]
		if c, _ := cluster.Condition(placement.Applied); !found || c.Status != placement.True || len(cluster.FailedPlacements) > 0 {
			w.t.Errorf("%s: %+v", name, cluster)
		}
	}
}

// idle fails the test if a placement still has something to be done.
func (w *world) idle(request engine.PlacementRequest) {
	w.t.Helper()
	preview, err := w.engine().Preview(w.t.Context(), request)
	if err != nil {
		w.t.Fatal(err)
	}
	if preview.Pending() {
		w.t.Errorf("there is something to do still: %+v", preview.Clusters)
	}
}

// deleteAtEnd removes a placement whatever becomes of the test.
func (w *world) deleteAtEnd(request engine.PlacementRequest) {
	w.t.Helper()
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		e := direct.New(direct.Config{Members: membersOf(w.direct)})
		if _, err := e.DeletePlacement(ctx, request); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) delete(request engine.PlacementRequest) *engine.Result {
	w.t.Helper()
	result, err := w.engine().DeletePlacement(w.t.Context(), request)
	if err != nil {
		w.t.Fatal(err)
	}
	return result
}

// put makes an object on a member behind the engine's back.
func (w *world) put(cluster, text string) *unstructured.Unstructured {
	w.t.Helper()
	u := parse(w.t, text)
	stored, err := w.direct[cluster].Create(w.t.Context(), u, kube.WriteOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.drop(cluster, stored) })
	return stored
}

func (w *world) drop(cluster string, u *unstructured.Unstructured) {
	_ = w.direct[cluster].Delete(context.Background(), kube.RefOf(u), u.GetUID(), "")
}

// get returns an object, nil if there is none.
func (w *world) get(cluster string, gvk schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	w.t.Helper()
	u, err := w.direct[cluster].Get(w.t.Context(), gvk, namespace, name)
	if kube.IsNotFound(err) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

// configMap is the text of one in the namespace default.
func configMap(name, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: default}, data: {value: %q}}", name, value)
}

// value is what a ConfigMap of configMap has, "absent" if there is none.
func (w *world) value(cluster, name string) string {
	w.t.Helper()
	u := w.get(cluster, configMapGVK, "default", name)
	if u == nil {
		return "absent"
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "value")
	return text
}

type entry struct {
	Kind, Namespace, Name, UID, Hash, LiveHash string
	Adopted                                    bool
}

// inventory returns the entries of a placement's inventory by name, nil if there is none.
func (w *world) inventory(cluster, name string) map[string]entry {
	w.t.Helper()
	u := w.get(cluster, configMapGVK, direct.Namespace, "placement-"+name)
	if u == nil {
		return nil
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "objects.json")
	var entries []entry
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		w.t.Fatal(err)
	}
	out := map[string]entry{}
	for _, e := range entries {
		out[e.Kind+" "+e.Name] = e
	}
	return out
}

// applying tells whether an inventory says that an apply is under way.
func (w *world) applying(cluster, name string) bool {
	w.t.Helper()
	u := w.get(cluster, configMapGVK, direct.Namespace, "placement-"+name)
	text, _, _ := unstructured.NestedString(u.Object, "data", "placement.json")
	return strings.Contains(text, `"applying": true`)
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	out := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &out.Object); err != nil {
		t.Fatal(err)
	}
	return out
}

// failures are the reasons of what is not applied on a cluster, by object.
func failures(status placement.Status, cluster string) map[string]string {
	out := map[string]string{}
	for _, failed := range status.Clusters[cluster].FailedPlacements {
		out[failed.Name] = failed.Condition.Reason + ": " + failed.Condition.Message
	}
	return out
}

func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// onPath matches requests of a method on a member whose path ends so.
func onPath(cluster, method, suffix string) func(clusters.Request) bool {
	return func(r clusters.Request) bool {
		return (cluster == "" || r.Context == cluster) && r.Method == method && !r.DryRun && strings.HasSuffix(r.Path, suffix)
	}
}
