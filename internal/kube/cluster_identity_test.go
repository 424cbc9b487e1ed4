package kube

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// switchProxy is a TCP proxy. Changing its backend breaks all open connections.
type switchProxy struct {
	net.Listener
	mu      sync.Mutex
	backend string
	open    []net.Conn
}

func startSwitchProxy(t *testing.T, backend string) *switchProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &switchProxy{Listener: listener, backend: backend}
	t.Cleanup(func() { _ = listener.Close(); s.switchTo(backend) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			behind, err := net.Dial("tcp", s.backend)
			s.open = append(s.open, conn)
			if err == nil {
				s.open = append(s.open, behind)
				go func() { _, _ = io.Copy(conn, behind); _ = conn.Close() }()
				go func() { _, _ = io.Copy(behind, conn); _ = behind.Close() }()
			}
			s.mu.Unlock()
		}
	}()
	return s
}

func (s *switchProxy) switchTo(backend string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.open {
		_ = conn.Close()
	}
	s.backend, s.open = backend, nil
}

// startIdentified returns a server with a UID that counts the writes it receives.
func startIdentified(t *testing.T, uid string, writes *atomic.Int64) *fakeServer {
	t.Helper()
	fake := startFake(t)
	fake.on("GET /api/v1/namespaces/kube-system", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 200, map[string]any{"kind": "Namespace", "apiVersion": "v1", "metadata": map[string]any{"name": "kube-system", "uid": uid}})
	})
	fake.on("POST "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) {
		writes.Add(1)
		writeJSON(w, 201, configMap("a"))
	})
	return fake
}

// If another cluster takes over the address during an apply, it receives only the identity check. The UID is read once per new connection.
func TestAnotherClusterBehindANewConnection(t *testing.T) {
	var ours, theirs atomic.Int64
	first, second := startIdentified(t, "u1", &ours), startIdentified(t, "u2", &theirs)
	address := func(f *fakeServer) string { return strings.TrimPrefix(f.URL, "https://") }
	proxy := startSwitchProxy(t, address(first))
	to := first.connection()
	to.Host, to.ClusterCACertificate, to.TLSServerName, to.Insecure = "https://"+proxy.Addr().String(), "", "", true
	cluster, ctx := NewCluster("m", to, Options{}, nil), testContext(t)
	create := func() error {
		_, err := cluster.Create(ctx, object(configMapGVK, "default", "a", nil), WriteOptions{})
		return err
	}
	if _, err := cluster.UID(ctx); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := create(); err != nil {
			t.Fatal(err)
		}
	}
	identified := func(f *fakeServer) int {
		return strings.Count(strings.Join(f.log(), "\n"), "GET /api/v1/namespaces/kube-system")
	}
	if asked := identified(first); asked != 1 {
		t.Errorf("it was identified %d times on one connection", asked)
	}
	proxy.switchTo(address(first))
	for try := 0; create() != nil; try++ { // the request in flight when the connection broke may fail
		if try > 3 {
			t.Fatal("the same cluster is not accepted on a new connection")
		}
	}
	if asked := identified(first); asked != 1 {
		t.Errorf("it was identified %d times on a new connection", asked)
	}
	written := ours.Load()
	proxy.switchTo(address(second))
	var err error
	for range 10 {
		if err = create(); err == nil {
			t.Fatal("a write succeeded")
		}
	}
	assertErrorContains(t, err, "this address now leads to another cluster", "is u2, and was u1")
	if !IsUnreachable(err) || theirs.Load() != 0 || ours.Load() != written {
		t.Errorf("%d writes to the other cluster, %d more to ours: %v", theirs.Load(), ours.Load()-written, err)
	}
	if log := strings.Join(second.log(), " "); strings.Contains(log, "configmaps") || strings.Contains(log, "POST") {
		t.Errorf("requests to the other cluster: %s", log)
	}
}
