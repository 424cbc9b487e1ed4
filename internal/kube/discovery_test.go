package kube

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const widgetGroup = `{"metadata":{"name":"example.com"},"versions":[
 {"version":"v1","resources":[{"resource":"widgets","responseKind":{"group":"example.com","version":"v1","kind":"Widget"},"scope":"Namespaced","verbs":["get"]}]},
 {"version":"v1beta1","resources":[
  {"resource":"widgets","responseKind":{"group":"example.com","version":"v1beta1","kind":"Widget"},"scope":"Namespaced","verbs":["get","list"]},
  {"resource":"gadgets","responseKind":{"group":"example.com","version":"v1beta1","kind":"Gadget"},"scope":"Cluster","verbs":["get"]}]}]}`

const staleGroup = `{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]}`

func TestDiscoveryRunsOnce(t *testing.T) {
	fake := startFake(t)
	fake.groups = []string{widgetGroup}
	cluster, ctx := fake.cluster(t), testContext(t)

	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := cluster.Resolve(ctx, widgetGVK); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if diff := cmp.Diff([]string{"GET /api", "GET /apis"}, fake.log()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}

	kinds, err := cluster.Kinds(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := []Kind{
		{Version: "v1", Versions: []string{"v1"}, Kind: "ConfigMap", Resource: "configmaps", Namespaced: true, Verbs: []string{"get", "list", "create"}},
		{Version: "v1", Versions: []string{"v1"}, Kind: "Pod", Resource: "pods", Namespaced: true, Verbs: []string{"get"}},
		{Version: "v1", Versions: []string{"v1"}, Kind: "Secret", Resource: "secrets", Namespaced: true, Verbs: []string{"get"}},
		{Version: "v1", Versions: []string{"v1"}, Kind: "Namespace", Resource: "namespaces", Verbs: []string{"get"}},
		{Group: "example.com", Version: "v1", Versions: []string{"v1", "v1beta1"}, Kind: "Widget", Resource: "widgets", Namespaced: true, Verbs: []string{"get"}},
		{Group: "example.com", Version: "v1beta1", Versions: []string{"v1beta1"}, Kind: "Gadget", Resource: "gadgets", Verbs: []string{"get"}},
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	mapping, err := cluster.Resolve(ctx, schema.GroupVersionKind{Group: "example.com", Version: "v1beta1", Kind: "Widget"})
	if err != nil || mapping.GVR.Version != "v1beta1" || !mapping.Namespaced {
		t.Errorf("another served version: %+v, %v", mapping, err)
	}
	if log := fake.log(); len(log) != 0 {
		t.Errorf("discovery was repeated: %v", log)
	}
}

func TestUnknownKindIsDiscoveredAgain(t *testing.T) {
	fake := startFake(t)
	cluster, ctx := fake.cluster(t), testContext(t)
	for range 50 {
		_, err := cluster.Resolve(ctx, widgetGVK)
		var unknown *UnknownKindError
		if !errors.As(err, &unknown) || !IsUnknownKind(err) || unknown.GVK != widgetGVK || unknown.Cluster != "fake" {
			t.Fatalf("error %v", err)
		}
	}
	if log := fake.log(); len(log) != 4 {
		t.Errorf("want one discovery and one retry, got %v", log)
	}
	fake.mu.Lock()
	fake.groups = []string{widgetGroup}
	fake.mu.Unlock()
	cluster.catalog.refetched = time.Now().Add(-refetchEvery)
	if _, err := cluster.Resolve(ctx, widgetGVK); err != nil {
		t.Errorf("after the kind was installed: %v", err)
	}
}

func TestResetDiscovery(t *testing.T) {
	fake := startFake(t)
	cluster, ctx := fake.cluster(t), testContext(t)
	_, _ = cluster.Resolve(ctx, widgetGVK)
	fake.mu.Lock()
	fake.groups = []string{widgetGroup}
	fake.mu.Unlock()
	cluster.ResetDiscovery()
	if _, err := cluster.Resolve(ctx, widgetGVK); err != nil {
		t.Error(err)
	}
}

func TestGroupWithoutAnAnswer(t *testing.T) {
	fake := startFake(t)
	fake.groups = []string{staleGroup, widgetGroup}
	cluster, ctx := fake.cluster(t), testContext(t)
	if _, err := cluster.Resolve(ctx, widgetGVK); err != nil {
		t.Errorf("a kind of another group: %v", err)
	}
	metrics := schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"}
	_, err := cluster.Resolve(ctx, metrics.WithKind("PodMetrics"))
	var unavailable *UnavailableGroupError
	if !errors.As(err, &unavailable) || IsUnknownKind(err) {
		t.Errorf("a kind of an unavailable group must not count as unknown: %v", err)
	}
	groups, err := cluster.UnavailableGroups(ctx)
	if err != nil || !slices.Equal(groups, []schema.GroupVersion{metrics}) {
		t.Errorf("%v, %v", groups, err)
	}
}

func TestDiscoveryWithoutAggregation(t *testing.T) {
	fake := startFake(t)
	answer := func(body map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, body) }
	}
	version := func(gv string) map[string]any { return map[string]any{"groupVersion": gv, "version": "v1"} }
	fake.on("GET /api", answer(map[string]any{"kind": "APIVersions", "versions": []any{"v1"}}))
	fake.on("GET /apis", answer(map[string]any{"kind": "APIGroupList", "groups": []any{
		map[string]any{"name": "example.com", "versions": []any{version("example.com/v1")}, "preferredVersion": version("example.com/v1")},
		map[string]any{"name": "down.io", "versions": []any{version("down.io/v1")}, "preferredVersion": version("down.io/v1")},
	}}))
	resource := func(name, kind string) map[string]any {
		return map[string]any{"name": name, "kind": kind, "namespaced": true, "verbs": []any{"get"}}
	}
	fake.on("GET /api/v1", answer(map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
		resource("pods", "Pod"), resource("pods/status", "Pod"), resource("configmaps", "ConfigMap")}}))
	fake.on("GET /apis/example.com/v1", answer(map[string]any{"kind": "APIResourceList", "groupVersion": "example.com/v1", "resources": []any{resource("widgets", "Widget")}}))
	fake.on("GET /apis/down.io/v1", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "service unavailable", 503) })

	cluster, ctx := fake.cluster(t), testContext(t)
	kinds, err := cluster.Kinds(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.Kind)
	}
	if !slices.Equal(names, []string{"Pod", "ConfigMap", "Widget"}) {
		t.Errorf("kinds %v", names)
	}
	if groups, _ := cluster.UnavailableGroups(ctx); len(groups) != 1 {
		t.Errorf("unavailable %v", groups)
	}
}

func TestFailedDiscoveryIsNotKept(t *testing.T) {
	fake := startFake(t)
	fake.on("GET /apis", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 500) })
	cluster, ctx := fake.cluster(t), testContext(t)
	if _, err := cluster.Kinds(ctx); !IsServerFailure(err) {
		t.Errorf("error %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := cluster.Kinds(cancelled); err == nil || IsUnreachable(err) {
		t.Errorf("cancelled: %v", err)
	}
	fake.on("GET /apis", nil)
	if _, err := cluster.Kinds(ctx); err != nil {
		t.Errorf("after recovery: %v", err)
	}
}

func TestServerThatIsNoAPIServer(t *testing.T) {
	fake := startFake(t)
	fake.on("GET /api", http.NotFound)
	fake.on("GET /apis", http.NotFound)
	cluster, ctx := fake.cluster(t), testContext(t)
	_, err := cluster.Get(ctx, configMapGVK, "default", "a")
	if !IsUnreachable(err) || IsNotFound(err) || IsUnknownKind(err) {
		t.Errorf("error %v", err)
	}
	assertErrorContains(t, err, "serves no Kubernetes API")
	if _, err = cluster.UID(ctx); err == nil || IsNotFound(err) {
		t.Errorf("error %v", err)
	}
}

func TestPreferredVersionComesFirst(t *testing.T) {
	group := metav1.APIGroup{Name: "g", PreferredVersion: metav1.GroupVersionForDiscovery{Version: "v2"}, Versions: []metav1.GroupVersionForDiscovery{
		{Version: "v1"}, {Version: "v2"}, {Version: "v3"},
	}}
	if got := strings.Join(versionsOf(group), " "); got != "v2 v1 v3" {
		t.Error(got)
	}
}
