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

// world is a test's part of two members. What it calls by a name of its own is called so after the world's name.
type world struct{ *enginetest.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{fleet.World(t, 2)}
}

// another is the same world, for a process that knows nothing of the first.
func (w *world) another() *world { return &world{w.Another()} }

// placing asks for manifests on all members.
func (w *world) placing(name string, texts ...string) enginetest.Request {
	w.Helper()
	return w.Placing("$ns-"+name, texts...)
}

// strategy sets how objects are applied.
func strategy(request enginetest.Request, how placement.ApplyType, when placement.WhenToTakeOver) enginetest.Request {
	return request.Strategy(placement.ApplyStrategy{Type: how, WhenToTakeOver: when})
}

// complete fails the test if a status is not as an undisturbed apply leaves it.
func (w *world) complete(status placement.Status) {
	w.Helper()
	for _, name := range w.Members {
		cluster, found := status.Clusters[name]
		if c, _ := cluster.Condition(placement.Applied); !found || c.Status != placement.True || len(cluster.FailedPlacements) > 0 {
			w.Errorf("%s: %+v", name, cluster)
		}
	}
}

// idle fails the test if a placement still has something to be done.
func (w *world) idle(request enginetest.Request) {
	w.Helper()
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	if preview.Pending() {
		w.Errorf("there is something to do still: %+v", preview.Clusters)
	}
}

// previewed makes a preview and returns what it says of one object on a cluster, and of the cluster.
func (w *world) previewed(e engine.Engine, request enginetest.Request, cluster, object string) (engine.ObjectPreview, engine.ClusterPreview) {
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

// configMap is the text of one.
func configMap(name, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {value: %q}}", name, value)
}

// value is what a ConfigMap of configMap has, "absent" if there is none.
func (w *world) value(cluster, name string) string {
	w.Helper()
	u := w.Find(cluster, "v1 ConfigMap "+name)
	if u == nil {
		return "absent"
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "value")
	return text
}

// record names the inventory of a placement, or with Secret its manifests.
func record(kind, name string) string {
	return "v1 " + kind + " " + direct.Namespace + "/placement-$ns-" + name
}

type entry struct {
	Kind, Namespace, Name, UID, Hash, LiveHash string
	Adopted, Released                          bool
}

// inventory returns the entries of a placement's inventory by name, nil if there is none.
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

// applying tells whether an inventory says that an apply is under way.
func (w *world) applying(cluster, name string) bool {
	w.Helper()
	text, _, _ := unstructured.NestedString(w.Must(cluster, record("ConfigMap", name)).Object, "data", "under-way.json")
	return text != ""
}

// failures are the reasons of what is not applied on a cluster, by object.
func failures(status placement.Status, cluster string) map[string]string {
	out := map[string]string{}
	for _, failed := range status.Clusters[cluster].FailedPlacements {
		out[failed.Name] = failed.Condition.Reason + ": " + failed.Condition.Message
	}
	return out
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// onPath matches requests of a method on a member whose path ends so.
func onPath(cluster, method, suffix string) func(clusters.Request) bool {
	return func(r clusters.Request) bool {
		return (cluster == "" || r.Context == cluster) && r.Method == method && !r.DryRun && strings.HasSuffix(r.Path, suffix)
	}
}

// configMaps is the path of those of the world.
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
