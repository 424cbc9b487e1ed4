package kube

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

const listHead = `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"continue":%q},"items":[`

// writeEndlessly writes until the reader closes the connection.
func writeEndlessly(w io.Writer, head, piece string) {
	_, err := io.WriteString(w, head)
	for block := strings.Repeat(piece, 1+(64<<10)/len(piece)); err == nil; {
		_, err = io.WriteString(w, block)
	}
}

// gzipped returns a text compressed with gzip.
func gzipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

func itemOf(name string, size int) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"data":{"a":"%s"}}`, name, strings.Repeat("x", size))
}

// A server that does not behave like an API server causes a bounded number of requests, bytes and memory, and an error that says what is wrong.
func TestHostileLists(t *testing.T) {
	json := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "application/json") }
	var pages atomic.Int64
	// Objects count with the memory that they take, so that few bytes with many values also reach the limit.
	many := `{"metadata":{"name":"a"},"data":{"a":[` + strings.Repeat("{},", 30_000) + `{}]}}`
	// A short run has only one of the answers that are too long, because 80 MiB take seconds with the race detector. TestBoundOfKeptObjects covers
	// the limit for endless pages.
	long := []string{"endless text", "endless objects", "one large object", "endless pages"}
	bomb := gzipped(fmt.Sprintf(listHead, "") + strings.Repeat(" ", 20<<20))
	for name, test := range map[string]struct {
		answer   http.HandlerFunc
		says     string
		requests int64 // at most, without discovery
		received int64 // at most, in MiB: up to 16 MiB of each of four answers, and read-ahead of the connection
	}{
		"endless text": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			writeEndlessly(w, fmt.Sprintf(listHead, ""), "x")
		}, "more than 16 MiB", 4, 96},
		"endless objects": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			writeEndlessly(w, fmt.Sprintf(listHead, ""), itemOf("a", 100)+",")
		}, "MiB", 4, 96},
		"endless values": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			writeEndlessly(w, fmt.Sprintf(listHead, ""), "{},")
		}, "more than 64 MiB of memory", 4, 40},
		"one large object": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			writeEndlessly(w, fmt.Sprintf(listHead, "")+`{"metadata":{"name":"a"},"data":{"a":"`, "x")
		}, "more than 16 MiB", 4, 96},
		"gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, bomb)
		}, "more than 16 MiB", 4, 2},
		"the same page": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			_, _ = io.WriteString(w, fmt.Sprintf(listHead, "again")+itemOf("a", 10)+"]}")
		}, "make no progress", 2, 1},
		"empty pages": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			_, _ = io.WriteString(w, fmt.Sprintf(listHead, fmt.Sprint(pages.Add(1)))+"]}")
		}, "make no progress", 4, 1},
		"endless pages": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			_, _ = io.WriteString(w, fmt.Sprintf(listHead, fmt.Sprint(pages.Add(1)))+many+"]}")
		}, "MiB of memory", 120, 20},
		"malformed": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			_, _ = io.WriteString(w, `{"kind":"ConfigMapList","items":[{]}`)
		}, "not the JSON of a list", 1, 1},
		"deep": {func(w http.ResponseWriter, _ *http.Request) {
			json(w)
			_, _ = io.WriteString(w, fmt.Sprintf(listHead, "")+strings.Repeat("[", 2_000_000))
		}, "MiB of memory", 4, 40},
		"login page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<html>log in</html>")
		}, "web page (text/html)", 1, 1},
		"no JSON at all": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "hello")
		}, "not the JSON of a list", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && slices.Contains(long, name) {
				t.Skip("make test-all runs it")
			}
			fake := startFake(t)
			fake.on("GET "+configMapsPath, test.answer)
			cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
			if _, err := cluster.Kinds(ctx); err != nil {
				t.Fatal(err)
			}
			before := cluster.Stats()
			highest := watchMemory(t)
			_, err := cluster.List(ctx, configMapGVK, "default", "")
			if used := highest(); used > 250<<20 {
				t.Errorf("%d MiB of memory", used>>20)
			}
			if err == nil || !strings.Contains(err.Error(), "its answers take too long") { // on a slow machine, this error occurs first
				assertErrorContains(t, err, `cluster "fake": cannot list ConfigMap in namespace default: `, test.says)
			}
			stats := cluster.Stats()
			if requests := stats.Requests - before.Requests; requests > test.requests {
				t.Errorf("%d requests", requests)
			}
			if received := stats.BytesReceived - before.BytesReceived; received > test.received<<20 {
				t.Errorf("%d MiB were read", received>>20)
			}
		})
	}
}

// watchMemory returns a function that returns the peak memory since the call.
func watchMemory(t *testing.T) func() uint64 {
	t.Helper()
	percent := debug.SetGCPercent(100) // override GOGC
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	base, highest := stats.HeapInuse, uint64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			highest = max(highest, now.HeapInuse)
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		return highest - min(base, highest)
	}
}

// A large page of a valid server is requested again in smaller pages.
func TestLargeObjectsComeInSmallerPages(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fake := startFake(t)
	fake.on("GET "+configMapsPath, func(w http.ResponseWriter, r *http.Request) {
		var limit, from int
		_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &limit)
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
		to, next := min(from+limit, 24), ""
		if to < 24 {
			next = fmt.Sprint(to)
		}
		w.Header().Set("Content-Type", "application/json")
		var items []string
		for i := from; i < to; i++ {
			items = append(items, itemOf(fmt.Sprint("c", i), 1<<20))
		}
		_, _ = io.WriteString(w, fmt.Sprintf(listHead, next)+strings.Join(items, ",")+"]}")
	})
	cluster := fake.cluster(t)
	list, err := cluster.List(testContext(t), configMapGVK, "default", "")
	if err != nil || len(list) != 24 || list[23].GetName() != "c23" {
		t.Fatalf("%d, %v", len(list), err)
	}
	fake.expect(t, "24 MiB in 24 objects", "5 lists, 0 gets, 0 writes")
}

// The target of a redirect never receives credentials.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(other.Close)
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, where := range []string{"GET /apis", "GET /api/v1/namespaces/kube-system", "GET " + configMapsPath + "/a", "POST " + configMapsPath} {
			t.Run(fmt.Sprint(code, " ", where), func(t *testing.T) {
				fake := startFake(t)
				fake.on(where, func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, other.URL+"/login?token=hunter2", code)
				})
				cluster, ctx := fake.cluster(t), testContext(t)
				var err error
				switch {
				case strings.HasPrefix(where, "POST"):
					_, err = cluster.Create(ctx, object(configMapGVK, "default", "a", nil), WriteOptions{})
				case strings.HasSuffix(where, "kube-system"):
					_, err = cluster.UID(ctx)
				default:
					_, err = cluster.Get(ctx, configMapGVK, "default", "a")
				}
				assertErrorContains(t, err, fmt.Sprintf("the server redirects (%d) to %q", code, other.URL), "Set host to the address of the API server itself")
				if !IsUnreachable(err) || IsUnknownKind(err) || IsNotFound(err) {
					t.Errorf("classified wrongly: %v", err)
				}
			})
		}
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests to the other server", asked.Load())
	}
}

// The server expects TLS, but the connection has http://.
func TestWrongScheme(t *testing.T) {
	fake := startFake(t)
	at := connection.Connection{Host: "http://" + strings.TrimPrefix(fake.URL, "https://"), Token: "t"}
	_, err := NewCluster("plain", at, Options{}, nil).UID(testContext(t))
	assertErrorContains(t, err, "the server speaks TLS", "https://")
}

// All fail-fast reads together wait for a cluster for a limited time, regardless of its answers. This limit does not apply to other requests.
func TestSlowServerLosesPatience(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	cluster, ctx := fake.cluster(t), testContext(t)
	if _, err := cluster.Kinds(ctx); err != nil {
		t.Fatal(err)
	}
	// The client waits at most a few seconds for a Retry-After, and not repeatedly.
	fake.on("GET "+configMapsPath+"/a", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := cluster.Get(FailFast(ctx), configMapGVK, "default", "a"); err == nil {
				t.Error("no error")
			}
		})
	}
	wait.Wait()
	fake.log()
	_, err := cluster.Get(FailFast(ctx), configMapGVK, "default", "b")
	var budget *transport.WaitBudgetError
	var down *transport.DownError
	if !IsUnreachable(err) || !errors.As(err, &down) || !errors.As(down.Cause, &budget) {
		t.Errorf("%v", err)
	}
	assertErrorContains(t, err, "its answers take too long: a plan waits at most 25s for one cluster")
	if log := fake.log(); len(log) != 0 {
		t.Errorf("requests after the limit: %v", log)
	}
	if _, err := cluster.Get(ctx, configMapGVK, "default", "b"); errors.As(err, &down) {
		t.Errorf("without fail-fast: %v", err)
	}
}
