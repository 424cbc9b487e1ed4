package kube

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// fakeServer serves discovery and the handlers of a test over TLS and HTTP/2, like an API server. It is for behavior that a real API server
// does not show on demand: a fakeServer can be slow, overloaded or unavailable. It stores no objects.
type fakeServer struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // "GET /api/v1/...?query"
	handlers map[string]http.HandlerFunc
	groups   []string // APIGroupDiscovery documents, in JSON
}

const coreGroup = `{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
 {"resource":"configmaps","responseKind":{"version":"v1","kind":"ConfigMap"},"scope":"Namespaced","verbs":["get","list","create"],
  "subresources":[]},
 {"resource":"pods","responseKind":{"version":"v1","kind":"Pod"},"scope":"Namespaced","verbs":["get"],
  "subresources":[{"subresource":"status","responseKind":{"version":"v1","kind":"Pod"},"verbs":["get"]}]},
 {"resource":"secrets","responseKind":{"version":"v1","kind":"Secret"},"scope":"Namespaced","verbs":["get"]},
 {"resource":"namespaces","responseKind":{"version":"v1","kind":"Namespace"},"scope":"Cluster","verbs":["get"]}]}]}`

func startFake(t *testing.T) *fakeServer {
	t.Helper()
	fake := &fakeServer{handlers: map[string]http.HandlerFunc{}}
	fake.Server = httptest.NewUnstartedServer(http.HandlerFunc(fake.serve))
	fake.EnableHTTP2 = true
	fake.StartTLS()
	t.Cleanup(fake.Close)
	return fake
}

// on sets the handler of "METHOD /path".
func (f *fakeServer) on(what string, handler http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handlers[what] = handler
}

// log returns and clears the requests so far.
func (f *fakeServer) log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	requests := f.requests
	f.requests = nil
	return requests
}

func (f *fakeServer) serve(w http.ResponseWriter, r *http.Request) {
	what := r.Method + " " + r.URL.Path
	f.mu.Lock()
	handler := f.handlers[what]
	groups := strings.Join(f.groups, ",")
	f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
	f.mu.Unlock()
	switch {
	case handler != nil:
		handler(w, r)
	case what == "GET /api":
		writeDiscovery(w, coreGroup)
	case what == "GET /apis":
		writeDiscovery(w, groups)
	default:
		http.NotFound(w, r)
	}
}

func writeDiscovery(w http.ResponseWriter, groups string) {
	w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	fmt.Fprintf(w, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[%s]}`, groups)
}

func writeJSON(w http.ResponseWriter, code int, object map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object)
}

func status(code int, reason, message string, details map[string]any) map[string]any {
	return map[string]any{
		"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message, "details": details,
	}
}

// connection returns a connection that trusts the server's certificate.
func (f *fakeServer) connection() connection.Connection {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})
	return connection.Connection{Host: f.URL, Token: "a-token", ClusterCACertificate: string(authority), TLSServerName: "example.com"}
}

func (f *fakeServer) cluster(t *testing.T) *Cluster {
	t.Helper()
	cluster := NewCluster("fake", f.connection(), Options{Timeout: 5 * time.Minute}, NewLimiter(0)) // a busy machine is slow
	t.Cleanup(cluster.Close)
	return cluster
}

var (
	configMapGVK = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	secretGVK    = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	widgetGVK    = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
)

// testContext returns a context that ends a hanging test with a useful message.
func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func object(gvk schema.GroupVersionKind, namespace, name string, fields map[string]any) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	for key, value := range fields {
		out.Object[key] = value
	}
	out.SetGroupVersionKind(gvk)
	out.SetNamespace(namespace)
	out.SetName(name)
	return out
}
