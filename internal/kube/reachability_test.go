package kube

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// deadHost returns an address without a listener.
func deadHost(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestDeadClusterFailsFast(t *testing.T) {
	cluster := NewCluster("dead", connection.Connection{Host: deadHost(t), Token: "hunter2"}, Options{}, NewLimiter(4))
	ctx := testContext(t)
	var wait sync.WaitGroup
	for range 200 {
		wait.Go(func() {
			if _, err := cluster.Get(ctx, configMapGVK, "default", "a"); !IsUnreachable(err) {
				t.Errorf("error %v", err)
			}
		})
	}
	wait.Wait()
	if dials := cluster.Stats().Dials; dials != 2 {
		t.Errorf("%d dials for 200 objects, want one and its retry", dials)
	}
	_, err := cluster.Get(ctx, configMapGVK, "default", "a")
	assertErrorContains(t, err, `cluster "dead": cannot read ConfigMap default/a`, "connection refused", "Check that the cluster runs")
	_, err = cluster.UID(ctx)
	assertErrorContains(t, err, "cannot identify it")
}

// A listener that accepts and never answers behaves like a stopped API server: the kernel still accepts connections.
func TestSilentServerEndsInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes eight seconds")
	}
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	for scheme, c := range map[string]struct {
		says  string
		dials int64
	}{
		"https://": {"TLS handshake timeout", 2}, // the second one within firstAnswer
		"http://":  {"no answer within 8s", 1},
	} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			cluster := NewCluster("silent", connection.Connection{Host: scheme + listener.Addr().String(), Token: "t", Insecure: scheme == "https://"}, Options{}, nil)
			_, err := cluster.Get(testContext(t), configMapGVK, "default", "a")
			if !IsUnreachable(err) {
				t.Errorf("error %v", err)
			}
			assertErrorContains(t, err, c.says)
			if dials := cluster.Stats().Dials; dials != c.dials {
				t.Errorf("%d dials, want %d: a timeout must not be retried", dials, c.dials)
			}
		})
	}
}

func TestFailedConnectionIsTriedOnceMore(t *testing.T) {
	host := deadHost(t)
	received := make(chan string, 1)
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api":
			writeDiscovery(w, coreGroup)
		case "/apis":
			writeDiscovery(w, "")
		default:
			body, _ := io.ReadAll(r.Body)
			received <- string(body)
			writeJSON(w, 201, configMap("a"))
		}
	})}
	t.Cleanup(func() { _ = server.Close() })
	cluster, ctx := NewCluster("m", connection.Connection{Host: "http://" + host, Token: "t"}, Options{}, nil), testContext(t)
	go func() {
		for ; cluster.Stats().Dials == 0 && ctx.Err() == nil; time.Sleep(time.Millisecond) { // the first dial finds no listener
		}
		time.Sleep(50 * time.Millisecond)
		if listener, err := net.Listen("tcp", host); err == nil {
			_ = server.Serve(listener)
		}
	}()
	if _, err := cluster.Create(ctx, object(configMapGVK, "default", "a", nil), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if body := <-received; body == "" {
		t.Error("the retry had no body")
	}
	if stats := cluster.Stats(); stats.Dials != 2 {
		t.Errorf("%+v", stats)
	}
}

func TestLimiterIsShared(t *testing.T) {
	var busy, peak atomic.Int32
	limiter, ctx := NewLimiter(2), testContext(t)
	var wait sync.WaitGroup
	for i := range 3 {
		fake := startFake(t)
		fake.on("GET "+configMapsPath+"/a", func(w http.ResponseWriter, _ *http.Request) {
			if now := busy.Add(1); now > peak.Load() {
				peak.Store(now)
			}
			time.Sleep(20 * time.Millisecond)
			busy.Add(-1)
			writeJSON(w, 200, configMap("a"))
		})
		cluster := NewCluster(fmt.Sprint(i), fake.connection(), Options{}, limiter)
		for range 6 {
			wait.Go(func() {
				if _, err := cluster.Get(ctx, configMapGVK, "default", "a"); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wait.Wait()
	if peak.Load() > 2 {
		t.Errorf("%d parallel requests", peak.Load())
	}
}

func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	cluster, ctx := fake.cluster(t), testContext(t)
	if _, err := cluster.Kinds(ctx); err != nil {
		t.Fatal(err)
	}
	breaks := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	fake.on("GET "+configMapsPath+"/a", breaks)
	fake.on("POST "+configMapsPath, breaks)
	fake.log()
	if _, err := cluster.Get(ctx, configMapGVK, "default", "a"); !IsUnreachable(err) {
		t.Errorf("error %v", err)
	}
	if requests := fake.log(); len(requests) != 3 {
		t.Errorf("a read was sent %d times, want 3", len(requests))
	}
	if _, err := cluster.Create(ctx, object(configMapGVK, "default", "a", nil), WriteOptions{}); !IsUnreachable(err) {
		t.Errorf("error %v", err)
	}
	if requests := fake.log(); len(requests) != 1 {
		t.Errorf("a write that may have taken effect was sent %d times", len(requests))
	}
}

// A read is retried on a server that is busy for a moment, so that one such answer does not fail a plan.
func TestBusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			cluster, ctx := NewCluster("m", fake.connection(), Options{}, NewLimiter(1)), testContext(t)
			if _, err := cluster.Kinds(ctx); err != nil {
				t.Fatal(err)
			}
			var asked, written atomic.Int32
			fake.on("GET "+configMapsPath+"/a", func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 1 {
					w.WriteHeader(status)
					return
				}
				writeJSON(w, 200, configMap("a"))
			})
			fake.on("POST "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) {
				written.Add(1)
				w.WriteHeader(status)
			})
			if _, err := cluster.Get(FailFast(ctx), configMapGVK, "default", "a"); err != nil {
				t.Error(err)
			}
			if _, err := cluster.Create(ctx, object(configMapGVK, "default", "a", nil), WriteOptions{}); err == nil {
				t.Error("no error")
			}
			if asked.Load() != 2 || written.Load() != 1 {
				t.Errorf("read %d times, written %d times", asked.Load(), written.Load())
			}
		})
	}
}

func TestSlowAnswerIsBounded(t *testing.T) {
	fake := startFake(t)
	release := make(chan struct{})
	fake.on("GET /api/v1/namespaces/default/configmaps/a", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	cluster := NewCluster("slow", fake.connection(), Options{Timeout: 200 * time.Millisecond}, NewLimiter(1))
	ctx := testContext(t)
	_, err := cluster.Get(ctx, configMapGVK, "default", "a")
	if !IsUnreachable(err) {
		t.Errorf("error %v", err)
	}
	assertErrorContains(t, err, "no answer within 200ms")
	// One slow answer does not make the cluster unreachable, and its slot has been released.
	if _, err := cluster.List(ctx, configMapGVK, "default", ""); IsUnreachable(err) {
		t.Errorf("the next request: %v", err)
	}

	// If the caller's own deadline ends a request, the cluster does not count as unreachable.
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = cluster.Get(short, configMapGVK, "default", "a")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	assertErrorContains(t, err, "before the time limit")
	if err := cluster.transport.Down(ctx); err != nil {
		t.Error(err)
	}
}

func TestSlowBodyIsBounded(t *testing.T) {
	fake := startFake(t)
	fake.on("GET /api/v1/namespaces/default/configmaps/a", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	cluster := NewCluster("slow", fake.connection(), Options{Timeout: 200 * time.Millisecond}, NewLimiter(1))
	_, err := cluster.Get(testContext(t), configMapGVK, "default", "a")
	if !IsUnreachable(err) {
		t.Errorf("error %v", err)
	}
}

func TestCertificates(t *testing.T) {
	fake := startFake(t)
	other := otherAuthority(t)
	ctx := testContext(t)
	for name, test := range map[string]struct {
		change func(*connection.Connection)
		says   string
	}{
		"another authority": {func(c *connection.Connection) { c.ClusterCACertificate = other }, "cluster_ca_certificate"},
		"another name":      {func(c *connection.Connection) { c.TLSServerName = "wrong.test" }, "tls_server_name"},
	} {
		to := fake.connection()
		test.change(&to)
		cluster := NewCluster("m", to, Options{}, nil)
		_, err := cluster.Kinds(ctx)
		if !IsUnreachable(err) {
			t.Errorf("%s: %v", name, err)
		}
		assertErrorContains(t, err, test.says)
		if dials := cluster.Stats().Dials; dials != 1 {
			t.Errorf("%s: %d dials; a retry would meet the same certificate", name, dials)
		}
	}
	plain := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Second}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = plain.Serve(listener) }()
	t.Cleanup(func() { _ = plain.Close() })
	_, err = NewCluster("m", connection.Connection{Host: listener.Addr().String(), Token: "t", Insecure: true}, Options{}, nil).Kinds(ctx)
	assertErrorContains(t, err, "does not speak TLS")
	_, err = NewCluster("m", connection.Connection{Host: "http://" + sshServer(t), Token: "t"}, Options{}, nil).Kinds(ctx)
	assertErrorContains(t, err, "the server does not speak HTTP. Check host and its port")
}

// sshServer returns the address of a server that sends the banner of SSH.
func sshServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Write([]byte("SSH-2.0-OpenSSH_9.9\r\n"))
		}
	}()
	return listener.Addr().String()
}

// otherAuthority returns the certificate of an unrelated CA as PEM text.
func otherAuthority(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
