//go:build unix

package clusters_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// env is a hub and two members for the tests of this package.
var env *clusters.Env

func TestMain(m *testing.M) {
	if os.Getenv(crashVariable) != "" {
		crashLater()
	}
	os.Exit(clusters.Main(m, clusters.Options{Members: 2, Ours: true}, &env))
}

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secrets     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	claims      = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	jobs        = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
)

func client(t *testing.T, name string) dynamic.Interface {
	t.Helper()
	config, err := env.RESTConfig(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// namespace creates a namespace that is deleted after the test, without waiting for its end.
func namespace(t *testing.T, c dynamic.Interface) string {
	t.Helper()
	object := parse(t, `{apiVersion: v1, kind: Namespace, metadata: {generateName: test-}}`)
	created, err := c.Resource(namespaces).Create(t.Context(), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Resource(namespaces).Delete(context.WithoutCancel(t.Context()), created.GetName(), metav1.DeleteOptions{})
	})
	return created.GetName()
}

// create creates an object from YAML.
func create(t *testing.T, c dynamic.ResourceInterface, text string) *unstructured.Unstructured {
	t.Helper()
	created, err := c.Create(t.Context(), parse(t, text), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	return object
}

// eventually waits until check returns nil.
func eventually(t *testing.T, what string, timeout time.Duration, check func() error) {
	t.Helper()
	begin := time.Now()
	for {
		err := check()
		if err == nil {
			t.Logf("%s after %s", what, time.Since(begin).Round(time.Millisecond))
			return
		}
		if time.Since(begin) > timeout {
			t.Fatalf("%s: not within %s: %v", what, timeout, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// condition returns an error unless the object's condition is True.
func condition(c dynamic.ResourceInterface, name, kind string) error {
	object, err := c.Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, entry := range conditions {
		if entry, ok := entry.(map[string]any); ok && entry["type"] == kind && entry["status"] == "True" {
			return nil
		}
	}
	return fmt.Errorf("%s is not %s: %v", name, kind, object.Object["status"])
}
