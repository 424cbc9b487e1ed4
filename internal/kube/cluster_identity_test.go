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

// swap is a proxy of connections whose backend can be swapped, which breaks those that there are.
type swap struct {
	net.Listener
	mu      sync.Mutex
	backend string
	open    []net.Conn
}

func startSwap(t *testing.T, backend string) *swap {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &swap{Listener: listener, backend: backend}
	t.Cleanup(func() { _ = listener.Close(); s.to(backend) })
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

func (s *swap) to(backend string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.open {
		_ = conn.Close()
	}
	s.backend, s.open = backend, nil
}

// identified answers who it is, and counts the writes that it gets.
func identified(t *testing.T, uid string, writes *atomic.Int64) *fakeServer {
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

// A server that becomes another one in the middle of an apply gets nothing more; the same one behind a new connection is asked once.
func TestAnotherClusterBehindANewConnection(t *testing.T) {
	var ours, theirs atomic.Int64
	first, second := identified(t, "u1", &ours), identified(t, "u2", &theirs)
	address := func(f *fakeServer) string { return strings.TrimPrefix(f.URL, "https://") }
	proxy := startSwap(t, address(first))
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
	proxy.to(address(first))
	for try := 0; create() != nil; try++ { // the one that was under way when the connection broke may fail
		if try > 3 {
			t.Fatal("the same cluster is not accepted on a new connection")
		}
	}
	if asked := identified(first); asked != 1 {
		t.Errorf("it was identified %d times on a new connection", asked)
	}
	written := ours.Load()
	proxy.to(address(second))
	var err error
	for range 10 {
		if err = create(); err == nil {
			t.Fatal("a write succeeded")
		}
	}
	assertSays(t, err, "another cluster answers at this address now", "is u2, and was u1")
	if !IsUnreachable(err) || theirs.Load() != 0 || ours.Load() != written {
		t.Errorf("%d writes went to the other cluster, %d more to ours: %v", theirs.Load(), ours.Load()-written, err)
	}
	if log := strings.Join(second.log(), " "); strings.Contains(log, "configmaps") || strings.Contains(log, "POST") {
		t.Errorf("the other cluster was asked: %s", log)
	}
}
