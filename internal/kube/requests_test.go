package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

const configMapsPath = "/api/v1/namespaces/default/configmaps"

func configMap(name string) map[string]any {
	return object(configMapGVK, "default", name, map[string]any{}).Object
}

func serveObject(obj map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, obj) }
}

func notFound(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 404, status(404, "NotFound", "gone", map[string]any{"kind": "configmaps", "name": name}))
	}
}

func TestRequestsAreHTTP2AndNamed(t *testing.T) {
	fake := startFake(t)
	fake.on("GET "+configMapsPath+"/a", func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 || r.Header.Get("Accept-Encoding") != "gzip" || r.UserAgent() != "fleet-test" || r.Header.Get("Authorization") != "Bearer a-token" {
			t.Errorf("%s %v", r.Proto, r.Header)
		}
		writeJSON(w, 200, configMap("a"))
	})
	cluster := NewCluster("m", fake.connection(), Options{UserAgent: "fleet-test"}, nil)
	if _, err := cluster.Get(testContext(t), configMapGVK, "default", "a"); err != nil {
		t.Fatal(err)
	}
	stats := cluster.Stats()
	if stats.Requests != 3 || stats.Dials != 1 || stats.Writes != 0 || stats.BytesSent == 0 || stats.BytesReceived == 0 {
		t.Errorf("%+v", stats)
	}
}

func kubeconfigTo(host string) string {
	return "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: c}}], " +
		"users: [{name: c, user: {token: t}}], " +
		"clusters: [{name: c, cluster: {server: 'https://" + host + "'}}]}"
}

func TestNothingHappensBeforeTheFirstUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "later")
	cluster := NewCluster("m", connection.Connection{ConfigPath: path}, Options{}, nil)
	cluster.Close()
	if _, err := cluster.UID(t.Context()); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Error(err)
	}
	// The file is read when another resource of the same apply has written it.
	if err := os.WriteFile(path, []byte(kubeconfigTo(deadHost(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.UID(t.Context()); !IsUnreachable(err) {
		t.Error(err)
	}
}

func TestOverloadIsWaitedOut(t *testing.T) {
	fake := startFake(t)
	var calls atomic.Int32
	fake.on("POST "+configMapsPath, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if calls.Add(1) <= 2 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader([]int{429, 503}[calls.Load()-1])
			return
		}
		if !json.Valid(body) {
			t.Errorf("the retry has the body %q", body)
		}
		writeJSON(w, 201, configMap("a"))
	})
	cluster := fake.cluster(t)
	if _, err := cluster.Create(testContext(t), object(configMapGVK, "default", "a", nil), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if stats := cluster.Stats(); stats.Writes != 3 {
		t.Errorf("%+v", stats)
	}
}

func TestConflictIsNotRepeated(t *testing.T) {
	fake := startFake(t)
	fake.on("POST "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 409, status(409, "AlreadyExists", "there", map[string]any{"kind": "configmaps", "name": "a"}))
	})
	cluster := fake.cluster(t)
	if _, err := cluster.Create(testContext(t), object(configMapGVK, "default", "a", nil), WriteOptions{}); !IsAlreadyExists(err) {
		t.Error(err)
	}
	if stats := cluster.Stats(); stats.Writes != 1 {
		t.Errorf("%+v", stats)
	}
}

func TestLostWriteIsNotRepeated(t *testing.T) {
	fake := startFake(t)
	fake.on("POST "+configMapsPath, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	cluster := fake.cluster(t)
	if _, err := cluster.Create(testContext(t), object(configMapGVK, "default", "a", nil), WriteOptions{}); !IsUnreachable(err) {
		t.Error(err)
	}
	if stats := cluster.Stats(); stats.Writes != 1 {
		t.Errorf("a write that may have taken effect was sent again: %+v", stats)
	}
}

func TestListIsPaged(t *testing.T) {
	fake := startFake(t)
	page := func(next string, names ...string) map[string]any {
		var items []any
		for _, name := range names {
			items = append(items, map[string]any{"metadata": map[string]any{"name": name, "namespace": "default"}})
		}
		return map[string]any{"kind": "ConfigMapList", "apiVersion": "v1", "metadata": map[string]any{"continue": next}, "items": items}
	}
	expired := false
	fake.on("GET "+configMapsPath, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case query.Get("labelSelector") != "app=web":
			t.Errorf("selector %q", query.Get("labelSelector"))
		case query.Get("continue") == "" && query.Get("limit") == "1000":
			writeJSON(w, 200, page("next", "a", "b"))
		case query.Get("continue") == "next" && expired:
			writeJSON(w, 410, status(410, "Expired", "too old", nil))
		case query.Get("continue") == "next":
			writeJSON(w, 200, page("", "c"))
		default:
			writeJSON(w, 200, page("", "a", "b", "c", "d"))
		}
	})
	cluster, ctx := fake.cluster(t), testContext(t)
	names := func(objects []*unstructured.Unstructured) (out string) {
		for _, object := range objects {
			out += object.GetName()
			if object.GetKind() != "ConfigMap" {
				t.Errorf("kind %q", object.GetKind())
			}
		}
		return out
	}
	objects, err := cluster.List(ctx, configMapGVK, "default", "app=web")
	if err != nil || names(objects) != "abc" {
		t.Errorf("%s, %v", names(objects), err)
	}
	expired = true
	objects, err = cluster.List(ctx, configMapGVK, "default", "app=web")
	if err != nil || names(objects) != "abcd" {
		t.Errorf("expired: %s, %v", names(objects), err)
	}
}

func TestGetMany(t *testing.T) {
	fake := startFake(t)
	fake.on("GET "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 200, map[string]any{"kind": "ConfigMapList", "apiVersion": "v1", "items": []any{configMap("a"), configMap("b"), configMap("other")}})
	})
	fake.on("GET /api/v1/namespaces/default/pods/p", serveObject(object(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "default", "p", nil).Object))
	fake.on("GET /api/v1/namespaces/few/configmaps/x", serveObject(object(configMapGVK, "few", "x", nil).Object))
	fake.on("GET /api/v1/namespaces/few/configmaps/y", notFound("y"))
	ref := func(gvk schema.GroupVersionKind, namespace, name string) Ref {
		return Ref{GVK: gvk, Namespace: namespace, Name: name}
	}
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	refs := []Ref{
		ref(configMapGVK, "default", "a"), ref(configMapGVK, "default", "b"), ref(configMapGVK, "default", "c"), ref(configMapGVK, "default", "d"),
		ref(configMapGVK, "few", "x"), ref(configMapGVK, "few", "y"), ref(configMapGVK, "few", "x"),
		ref(pod, "default", "p"), ref(widgetGVK, "default", "w"), ref(configMapGVK, "", "n"),
	}
	cluster := fake.cluster(t)
	found, errs := cluster.GetMany(testContext(t), refs)
	for _, i := range []int{0, 1, 4, 7} {
		if found[refs[i]] == nil {
			t.Errorf("%s is missing", refs[i])
		}
	}
	if len(found) != 4 || len(errs) != 2 || !IsUnknownKind(errs[refs[8]]) || !IsInvalid(errs[refs[9]]) {
		t.Errorf("found %d, errs %v", len(found), errs)
	}
	lists, gets := 0, 0
	for _, request := range fake.log() {
		switch {
		case strings.Contains(request, "limit="):
			lists++
		case strings.Contains(request, "/namespaces/"):
			gets++
		}
	}
	if lists != 1 || gets != 3 {
		t.Errorf("%d lists and %d gets", lists, gets)
	}
}

func TestGetManyWithoutTheRightToList(t *testing.T) {
	fake := startFake(t)
	fake.on("GET "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 403, status(403, "Forbidden", `User "u" cannot list`, nil))
	})
	var refs []Ref
	for i := range 5 {
		name := fmt.Sprint(i)
		refs = append(refs, Ref{GVK: configMapGVK, Namespace: "default", Name: name})
		fake.on("GET "+configMapsPath+"/"+name, serveObject(configMap(name)))
	}
	found, errs := fake.cluster(t).GetMany(testContext(t), refs)
	if len(found) != 5 || len(errs) != 0 {
		t.Errorf("%d found, %v", len(found), errs)
	}
}

func TestGetManyErrors(t *testing.T) {
	fake := startFake(t)
	fake.on("GET "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", 500) })
	var refs []Ref
	for i := range 5 {
		refs = append(refs, Ref{GVK: configMapGVK, Namespace: "default", Name: fmt.Sprint(i)})
	}
	found, errs := fake.cluster(t).GetMany(testContext(t), refs)
	if len(found) != 0 || len(errs) != 5 || !IsServerFailure(errs[refs[3]]) {
		t.Errorf("%v, %v", found, errs)
	}
	assertErrorContains(t, errs[refs[3]], "cannot read ConfigMap default/3")
}

func TestIdentityIsReadOnce(t *testing.T) {
	fake := startFake(t)
	fake.on("GET /api/v1/namespaces/kube-system", serveObject(map[string]any{"kind": "Namespace", "apiVersion": "v1", "metadata": map[string]any{"name": "kube-system", "uid": "u-1"}}))
	fake.on("GET /version", serveObject(map[string]any{"gitVersion": "v1.36.3"}))
	cluster, ctx := fake.cluster(t), testContext(t)
	for range 3 {
		uid, err := cluster.UID(ctx)
		if err != nil || uid != "u-1" {
			t.Error(uid, err)
		}
		version, err := cluster.ServerVersion(ctx)
		if err != nil || version != "v1.36.3" {
			t.Error(version, err)
		}
	}
	if stats := cluster.Stats(); stats.Requests != 2 {
		t.Errorf("%+v", stats)
	}
}

func TestCanI(t *testing.T) {
	fake := startFake(t)
	admin := false
	fake.on("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", func(w http.ResponseWriter, r *http.Request) {
		var review map[string]any
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			t.Error(err)
		}
		verb, _, _ := unstructured.NestedString(review, "spec", "resourceAttributes", "verb")
		review["status"] = map[string]any{"allowed": verb == "get" || admin}
		writeJSON(w, 201, review)
	})
	check := func(verb string) Check {
		return Check{Verb: verb, GVR: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespace: "web"}
	}
	checks := []Check{check("get"), check("patch"), check("create"), check("get")}
	for _, test := range []struct {
		admin    bool
		requests int64
	}{{false, 5}, {true, 1}} { // the fake server does not serve rules reviews
		admin = test.admin
		cluster, ctx := fake.cluster(t), testContext(t)
		for range 2 {
			allowed, err := cluster.CanI(ctx, checks)
			if err != nil || len(allowed) != 3 || !allowed[check("get")] || allowed[check("patch")] != test.admin {
				t.Errorf("%v, %v", allowed, err)
			}
		}
		if stats := cluster.Stats(); stats.Requests != test.requests || stats.Writes != 0 {
			t.Errorf("admin %v: %+v", test.admin, stats)
		}
	}
}

func TestCanIAsksForTheRulesOfANamespace(t *testing.T) {
	rule := func(verbs, groups, resources string, names ...any) map[string]any {
		list := func(text string) (out []any) {
			for _, part := range strings.Split(text, ",") {
				out = append(out, part)
			}
			return out
		}
		return map[string]any{"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources), "resourceNames": names}
	}
	rules := []any{
		rule("get,patch", ",apps", "configmaps,deployments"), rule("*", "batch", "*"), rule("create", "*", "secrets", "only-this"), rule("update", "", "*/status"),
	}
	check := func(verb, group, resource, namespace string) Check {
		return Check{Verb: verb, GVR: schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}, Namespace: namespace}
	}
	want := map[Check]bool{
		check("patch", "", "configmaps", "web"):        true,
		check("patch", "apps", "deployments", "web"):   true,
		check("create", "apps", "deployments", "web"):  false,
		check("patch", "other", "deployments", "web"):  false,
		check("create", "batch", "jobs", "web"):        true,
		check("create", "", "secrets", "web"):          false, // for one name only
		check("update", "", "pods/status", "web"):      true,
		check("update", "", "pods/exec", "web"):        false,
		check("patch", "", "configmaps", "data"):       true,
		check("create", "", "configmaps", "data"):      false,
		check("patch", "", "configmaps", "single"):     false, // one check in this namespace: no rules review
		check("create", "", "namespaces", ""):          false, // not answered by a rules review
		check("create", "", "persistentvolumes", ""):   false,
		check("delete", "apps", "replicasets", "data"): false,
	}
	for _, test := range []struct {
		incomplete bool
		requests   int64
	}{{false, 1 + 2 + 3}, {true, 1 + 2 + 3 + 6}} {
		t.Run(fmt.Sprintf("incomplete %v", test.incomplete), func(t *testing.T) {
			fake := startFake(t)
			fake.on("POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews", func(w http.ResponseWriter, _ *http.Request) {
				writeJSON(w, 201, map[string]any{
					"kind": "SelfSubjectRulesReview", "apiVersion": "authorization.k8s.io/v1",
					"status": map[string]any{"resourceRules": rules, "incomplete": test.incomplete},
				})
			})
			fake.on("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", func(w http.ResponseWriter, _ *http.Request) {
				writeJSON(w, 201, map[string]any{
					"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": map[string]any{"allowed": false},
				})
			})
			cluster, ctx := fake.cluster(t), testContext(t)
			for range 2 {
				got, err := cluster.CanI(ctx, slices.Collect(maps.Keys(want)))
				if err != nil || !maps.Equal(got, want) {
					t.Errorf("%v, %v", got, err)
				}
			}
			if stats := cluster.Stats(); stats.Requests != test.requests || stats.Writes != 0 {
				t.Errorf("%+v, want %d requests", stats, test.requests)
			}
			// The rules answer a check for another kind without a request.
			if got, err := cluster.CanI(ctx, []Check{check("delete", "batch", "cronjobs", "data")}); err != nil || len(got) != 1 || cluster.Stats().Requests != test.requests {
				t.Errorf("%v, %v, %+v", got, err, cluster.Stats())
			}
		})
	}
}

// plugin writes a shell script that acts as a credential plugin.
func plugin(t *testing.T, script string) *connection.Exec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is executed
		t.Fatal(err)
	}
	return &connection.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: path}
}

func TestExpiredTokenIsRenewedOnce(t *testing.T) {
	fake := startFake(t)
	counter := filepath.Join(t.TempDir(), "count")
	to := fake.connection()
	to.Token = ""
	to.Exec = plugin(t, `echo x >> `+counter+`
printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t%s"}}' $(wc -l < `+counter+`)`)
	fake.on("GET "+configMapsPath+"/a", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t2" {
			writeJSON(w, 401, status(401, "Unauthorized", "expired", nil))
			return
		}
		writeJSON(w, 200, configMap("a"))
	})
	cluster := NewCluster("m", to, Options{}, nil)
	if _, err := cluster.Get(testContext(t), configMapGVK, "default", "a"); err != nil {
		t.Error(err)
	}
}

func TestPluginFailures(t *testing.T) {
	fake := startFake(t)
	for name, test := range map[string]struct {
		exec *connection.Exec
		says string
	}{
		"stderr":     {plugin(t, "echo hunter2; echo 'login expired, run: az login' >&2; exit 1"), `failed with exit code 1. It says: login expired, run: az login. Check`},
		"empty":      {plugin(t, "true"), "printed nothing instead of an ExecCredential"},
		"exit code":  {plugin(t, "echo hunter2; exit 3"), "exit code 3"},
		"odd output": {plugin(t, "echo hunter2"), "not an ExecCredential"},
		"missing":    {&connection.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "no-such-command-here", Args: []string{"hunter2"}}, `the command "no-such-command-here" is not found`},
	} {
		t.Run(name, func(t *testing.T) {
			to := fake.connection()
			to.Token, to.Exec = "", test.exec
			_, err := NewCluster("m", to, Options{}, nil).Kinds(testContext(t))
			if !IsUnauthorized(err) || IsUnreachable(err) {
				t.Errorf("not classified: %v", err)
			}
			assertErrorContains(t, err, test.says, "Check the connection's token, exec")
		})
	}
}

func TestHangingPluginCanBeGivenUp(t *testing.T) {
	dir := t.TempDir()
	begun, hold := filepath.Join(dir, "begun"), filepath.Join(dir, "hold")
	if err := exec.CommandContext(t.Context(), "mkfifo", begun, hold).Run(); err != nil { //nolint:gosec // the test's own paths
		t.Fatal(err)
	}
	holding, err := os.OpenFile(hold, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer holding.Close() // this ends the plugin
	to := startFake(t).connection()
	to.Token, to.Exec = "", plugin(t, "exec 3< "+hold+"; echo > "+begun+"; read line <&3")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answer := make(chan error, 1)
	go func() {
		_, err := NewCluster("m", to, Options{}, nil).Kinds(ctx)
		answer <- err
	}()
	if _, err := os.ReadFile(begun); err != nil { // waits for the plugin
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-answer:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	case <-testContext(t).Done():
		t.Error("the call still waits for the plugin")
	}
}

// There is no rate limit unless it is configured, because API servers have their own fair queuing.
func TestRequestsAreNotLimitedByDefault(t *testing.T) {
	fake := startFake(t)
	for qps, limited := range map[float32]bool{0: false, -1: false, 20: true} {
		cluster := NewCluster("m", fake.connection(), Options{QPS: qps}, nil)
		clients, err := cluster.connect(testContext(t))
		if err != nil {
			t.Fatal(err)
		}
		limiter := clients.rest.GetRateLimiter()
		if limited != (limiter != nil) || limited && limiter.QPS() != qps {
			t.Errorf("qps %v: %v", qps, limiter)
		}
	}
}
