package harness

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// On returns a client for a cluster: "hub" or a member's name.
func (h *Harness) On(t *testing.T, name string) *fixture.Client {
	t.Helper()
	client, err := h.Env.Client(name)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Put creates objects on a cluster. When the test ends, it deletes the cluster-scoped ones, including Namespaces with their contents, except in the short suite
// on clusters that end with the tests.
func (h *Harness) Put(t *testing.T, cluster, text string) {
	t.Helper()
	h.put(t, cluster, text, !h.Env.Abandons())
}

// PutForTest creates objects like [Harness.Put], but always deletes the cluster-scoped ones when the test ends. It is for objects that the next test must not
// find.
func (h *Harness) PutForTest(t *testing.T, cluster, text string) {
	t.Helper()
	h.put(t, cluster, text, true)
}

func (h *Harness) put(t *testing.T, cluster, text string, remove bool) {
	t.Helper()
	client := h.On(t, cluster)
	if err := client.Create(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
	if !remove {
		return
	}
	objects, err := fixture.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, u := range objects {
			if u.GetNamespace() == "" {
				if err := client.Delete(context.Background(), u.GetAPIVersion(), u.GetKind(), "", u.GetName()); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// Clear deletes a Namespace from the members and waits until it no longer exists: tests of another package may have kept it.
func (h *Harness) Clear(t *testing.T, namespace string) {
	t.Helper()
	clusters.Need(t, h.Env)
	ref := fixture.ParseRef("v1 Namespace " + namespace)
	for _, member := range h.Env.Members {
		client := h.On(t, member)
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			live, err := client.Find(t.Context(), ref)
			if err != nil {
				t.Fatalf("Namespace %s could not be read on %s: %v", namespace, member, err)
			}
			if live == nil {
				break
			}
			if live.GetDeletionTimestamp() == nil {
				err = client.Drop(t.Context(), live)
			}
			if err != nil {
				t.Fatalf("Namespace %s could not be deleted on %s: %v", namespace, member, err)
			}
			if time.Now().After(deadline) {
				t.Fatalf("Namespace %s still exists on %s after a minute", namespace, member)
			}
		}
	}
}

// RemoveAtEnd deletes an object when the test ends, except in the short suite on clusters that end with the tests.
func (h *Harness) RemoveAtEnd(t *testing.T, cluster, apiVersion, kind, namespace, name string) {
	t.Helper()
	if h.Env.Abandons() {
		return
	}
	t.Cleanup(func() {
		if err := h.On(t, cluster).Delete(context.Background(), apiVersion, kind, namespace, name); err != nil {
			t.Error(err)
		}
	})
}

// Check compares a field of an object on a cluster.
func (h *Harness) Check(t *testing.T, cluster, apiVersion, kind, namespace, name string, want any, field ...string) {
	t.Helper()
	u, err := h.On(t, cluster).Get(t.Context(), apiVersion, kind, namespace, name)
	if err != nil {
		t.Error(err)
		return
	}
	if u == nil {
		t.Errorf("%s has no %s %s/%s", cluster, kind, namespace, name)
		return
	}
	var got any = u.Object
	for _, step := range field {
		fields, _ := got.(map[string]any)
		got = fields[step]
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %s %s/%s has %s = %v, want %v", cluster, kind, namespace, name, strings.Join(field, "."), got, want)
	}
}

// Absent checks that a cluster does not have an object.
func (h *Harness) Absent(t *testing.T, cluster, apiVersion, kind, namespace, name string) {
	t.Helper()
	u, err := h.On(t, cluster).Get(t.Context(), apiVersion, kind, namespace, name)
	if err != nil {
		t.Error(err)
	} else if u != nil {
		t.Errorf("%s still has %s %s/%s", cluster, kind, namespace, name)
	}
}

// Await waits until done returns true, for at most a minute.
func Await(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("timed out after a minute waiting for %s", what)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
