package memberpreview_test

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

var env *clusters.Env

func TestMain(m *testing.M) {
	os.Exit(clusters.Main(m, clusters.Options{Members: 1, NoHub: true, NoWorkloads: true}, &env))
}

// world is a member behind a recorder.
type world struct {
	t *testing.T
	*clusters.Recorder
	// direct is the client of another program that bypasses the recorder.
	direct *kube.Cluster
}

func newWorld(t *testing.T) *world {
	t.Helper()
	clusters.Need(t, env)
	member := env.Members[0]
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{
		Contexts: []string{member, clusters.Readonly(member)}, PlainHTTP: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = recorder.Close() })
	return &world{t: t, Recorder: recorder, direct: connect(env.Kubeconfig, member, "kubectl-create")}
}

func connect(kubeconfig, name, manager string) *kube.Cluster {
	return kube.NewCluster(name, connection.Connection{ConfigPath: kubeconfig, ConfigContext: name},
		kube.Options{QPS: -1, Timeout: 5 * time.Second, FieldManager: manager}, nil)
}

// engine returns a second engine that places the set web, with the credentials of a context.
func (w *world) engine(name string) second {
	return second{set: "web", cluster: connect(w.Kubeconfig(), name, "")}
}

// putOwned writes an object as an engine does, without the recorder.
func (w *world) putOwned(set string, u *unstructured.Unstructured) {
	w.t.Helper()
	e := second{set: set, cluster: w.direct}
	stored, err := e.Write(w.t.Context(), e.object(u), takeover.ActionCreate, false)
	if err != nil {
		w.t.Fatal(err)
	}
	w.dropAtEnd(stored)
}

// put writes an object as another program does.
func (w *world) put(u *unstructured.Unstructured) *unstructured.Unstructured {
	w.t.Helper()
	stored, _, err := w.direct.ApplyServerSide(w.t.Context(), u, nil, kube.ApplyOptions{Force: true})
	if err != nil {
		w.t.Fatal(err)
	}
	w.dropAtEnd(stored)
	return stored
}

// putDeleting creates an object with a finalizer and deletes it.
func (w *world) putDeleting(u *unstructured.Unstructured) {
	w.t.Helper()
	bare := u.DeepCopy()
	u.SetFinalizers([]string{"example.org/hold"})
	if err := w.direct.Delete(w.t.Context(), kube.RefOf(u), w.put(u).GetUID(), ""); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_, _, _ = w.direct.ApplyServerSide(context.Background(), bare, nil, kube.ApplyOptions{Force: true})
	})
}

func (w *world) dropAtEnd(stored *unstructured.Unstructured) {
	w.t.Cleanup(func() { _ = w.direct.Delete(context.Background(), kube.RefOf(stored), stored.GetUID(), "") })
}

// dryRuns returns the dry runs since the last call as METHOD and the end of the path. It fails the test for another field manager, or for a write.
func (w *world) dryRuns() []string {
	w.t.Helper()
	out := []string{}
	for _, request := range w.Requests() {
		if !request.DryRun {
			continue
		}
		out = append(out, request.Method+" "+path.Base(request.Path))
		if manager := request.Query.Get("fieldManager"); manager != agent {
			w.t.Errorf("a dry run with field manager %q: %s", manager, request)
		}
	}
	if writes := w.Writes(); len(writes) > 0 {
		w.t.Errorf("a preview has written: %v", writes)
	}
	w.Reset()
	slices.Sort(out)
	return out
}

// summarize returns a summary of each object of a preview by name: the action, the obstacle, the paths that differ, and the number of
// differences in the status.
func summarize(preview engine.ClusterPreview) map[string]string {
	out := map[string]string{}
	for _, o := range preview.Objects {
		words := []string{string(o.Action)}
		if o.Obstacle != "" {
			words = append(words, string(o.Obstacle))
		}
		for _, d := range o.Differences {
			words = append(words, d.Path)
		}
		if n := len(o.ObservedDiffs); n > 0 {
			words = append(words, fmt.Sprintf("diffs:%d", n))
		}
		if n := len(o.ObservedDrifts); n > 0 {
			words = append(words, fmt.Sprintf("drifts:%d", n))
		}
		out[o.Name] = strings.Join(words, " ")
	}
	return out
}

func (w *world) configMap(name, value string) *unstructured.Unstructured {
	w.t.Helper()
	return w.parse(fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: default}, data: {value: %q}}", name, value))
}

func (w *world) parse(text string) *unstructured.Unstructured {
	w.t.Helper()
	out := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &out.Object); err != nil {
		w.t.Fatal(err)
	}
	return out
}
