package direct_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

var fleet *enginetest.Fleet

func TestMain(m *testing.M) {
	os.Exit(enginetest.Main(m, clusters.Options{Members: 3, NoWorkloads: true}, subject, &fleet))
}

// world is a test's share of two members. Its namespace, placements and cluster-scoped objects have names with the world's name.
type world struct{ *enginetest.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{fleet.World(t, 2)}
}

// restarted returns the same world for a new process without the state of the first.
func (w *world) restarted() *world { return &world{w.Another()} }

// newRequest returns a request to place manifests on all members.
func (w *world) newRequest(name string, texts ...string) enginetest.Request {
	w.Helper()
	return w.Placing("$ns-"+name, texts...)
}

// strategy returns the request with an apply type and a takeover mode.
func strategy(request enginetest.Request, how placement.ApplyType, when placement.WhenToTakeOver) enginetest.Request {
	return request.Strategy(placement.ApplyStrategy{Type: how, WhenToTakeOver: when})
}

// checkComplete fails the test unless the status is that of a successful apply.
func (w *world) checkComplete(status placement.Status) {
	w.Helper()
	for _, name := range w.Members {
		cluster, found := status.Clusters[name]
		if c, _ := cluster.Condition(placement.Applied); !found || c.Status != placement.True || len(cluster.FailedPlacements) > 0 {
			w.Errorf("%s: %+v", name, cluster)
		}
	}
}

// checkIdle fails the test unless the plan of the placement is empty.
func (w *world) checkIdle(request enginetest.Request) {
	w.Helper()
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	if preview.Pending() {
		w.Errorf("there is something to do still: %+v", preview.Clusters)
	}
}

// previewObject makes a preview, and returns the parts for one object on a cluster and for the cluster.
func (w *world) previewObject(e engine.Engine, request enginetest.Request, cluster, object string) (engine.ObjectPreview, engine.ClusterPreview) {
	w.Helper()
	preview, err := request.Preview(w.Context(), e)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range preview.Clusters {
		if c.Name != cluster {
			continue
		}
		for _, o := range c.Objects {
			if o.Name == object {
				return o, c
			}
		}
		return engine.ObjectPreview{}, c
	}
	w.Fatalf("the preview does not have the cluster %q", cluster)
	return engine.ObjectPreview{}, engine.ClusterPreview{}
}

// configMap returns the manifest of a ConfigMap.
func configMap(name, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {value: %q}}", name, value)
}

// value returns the value in a ConfigMap whose manifest configMap returned, or "absent".
func (w *world) value(cluster, name string) string {
	w.Helper()
	u := w.Find(cluster, "v1 ConfigMap "+name)
	if u == nil {
		return "absent"
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "value")
	return text
}

// record returns the name of a placement's inventory, or of its manifests for the kind Secret.
func record(kind, name string) string {
	return "v1 " + kind + " " + direct.Namespace + "/placement-$ns-" + name
}

type entry struct {
	Kind, Namespace, Name, UID, Hash, LiveHash string
	Adopted, Released                          bool
}

// inventory returns the entries of a placement's inventory by kind and name ("ConfigMap a"), or nil if there is no inventory.
func (w *world) inventory(cluster, name string) map[string]entry {
	w.Helper()
	u := w.Find(cluster, record("ConfigMap", name))
	if u == nil {
		return nil
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "objects.json")
	var entries []entry
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		w.Fatal(err)
	}
	out := map[string]entry{}
	for _, e := range entries {
		out[e.Kind+" "+e.Name] = e
	}
	return out
}

// isApplying reports whether an inventory has the lease of an operation in progress.
func (w *world) isApplying(cluster, name string) bool {
	w.Helper()
	text, _, _ := unstructured.NestedString(w.Must(cluster, record("ConfigMap", name)).Object, "data", "under-way.json")
	return text != ""
}

// failures returns the reasons of the failed objects on a cluster, by object.
func failures(status placement.Status, cluster string) map[string]string {
	out := map[string]string{}
	for _, failed := range status.Clusters[cluster].FailedPlacements {
		out[failed.Name] = failed.Condition.Reason + ": " + failed.Condition.Message
	}
	return out
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// onPath matches requests to a member (to any cluster if cluster is empty) that have the method and a path that ends with the suffix. It matches no dry runs.
func onPath(cluster, method, suffix string) func(clusters.Request) bool {
	return func(r clusters.Request) bool {
		return (cluster == "" || r.Context == cluster) && r.Method == method && !r.DryRun && strings.HasSuffix(r.Path, suffix)
	}
}

// configMaps returns the suffix of the path of the world's ConfigMaps.
func (w *world) configMaps() string { return "/" + w.Name + "/configmaps" }

func jsonOf(t testing.TB, value any) string {
	t.Helper()
	if err, is := value.(error); is {
		return err.Error()
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
