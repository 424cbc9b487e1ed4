package kube_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// The tests in package kube_test need a real API server, and the tests in package kube do not.

var (
	namespaceGVK  = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	configMapGVK  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	deploymentGVK = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

// start starts the clusters for the first test that needs one, so that other tests do not wait.
var start = sync.OnceValues(func() (*clusters.Env, error) {
	return clusters.Start(context.Background(), clusters.Options{Members: 1, NoHub: true, NoWorkloads: true})
})

var started atomic.Bool

func TestMain(m *testing.M) {
	status := m.Run()
	if started.Load() {
		if env, err := start(); err == nil && env.Stop() != nil {
			status = max(status, 1)
		}
	}
	os.Exit(status)
}

func realEnv(t *testing.T) *clusters.Env {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a cluster")
	}
	started.Store(true)
	env, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// connectionTo returns a connection to the member as one of its users.
func connectionTo(t *testing.T, user func(cluster string) string) connection.Connection {
	t.Helper()
	env := realEnv(t)
	name := user(env.Members[0])
	if !env.Has(name) {
		t.Skipf("the kubeconfig has no context %s", name)
	}
	return connection.Connection{ConfigPath: env.Kubeconfig, ConfigContext: name}
}

func administrator(cluster string) string { return cluster }

// realCluster returns a new client of the member with an empty cache.
func realCluster(t *testing.T, options ...func(*kube.Options)) *kube.Cluster {
	t.Helper()
	settings := kube.Options{QPS: -1}
	for _, change := range options {
		change(&settings)
	}
	return clusterAs(t, connectionTo(t, administrator), settings)
}

func clusterAs(t *testing.T, to connection.Connection, settings kube.Options) *kube.Cluster {
	t.Helper()
	cluster := kube.NewCluster("member-1", to, settings, kube.NewLimiter(0))
	t.Cleanup(cluster.Close)
	return cluster
}

func withTimeout(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

var namespaces atomic.Int64

// newNamespace creates a namespace for the test. The cleanup does not wait for its deletion, which takes seconds.
func newNamespace(t *testing.T, cluster *kube.Cluster) string {
	t.Helper()
	name := fmt.Sprintf("kube-%d-%d", time.Now().UnixNano(), namespaces.Add(1))
	created, err := cluster.Create(withTimeout(t, 10*time.Second), parse(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+name+"}}"), kube.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = cluster.Delete(ctx, kube.RefOf(created), created.GetUID(), "")
	})
	return name
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	out := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &out.Object); err != nil {
		t.Fatal(err)
	}
	return out
}

// inNamespace parses a manifest and sets its namespace.
func inNamespace(t *testing.T, namespace, text string) *unstructured.Unstructured {
	t.Helper()
	out := parse(t, text)
	out.SetNamespace(namespace)
	return out
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func field(obj *unstructured.Unstructured, path ...string) string {
	value, found, _ := unstructured.NestedFieldNoCopy(obj.Object, path...)
	if !found {
		return "absent"
	}
	return fmt.Sprint(value)
}

func assertErrorContains(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

func conflictOf(t *testing.T, err error) *kube.ConflictError {
	t.Helper()
	var conflict *kube.ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("want a ConflictError, got %v", err)
	}
	return conflict
}
