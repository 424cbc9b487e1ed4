package transport

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"
)

// newClient returns an HTTP client over a Transport, and the Transport.
func newClient(t *testing.T, options Options) (*http.Client, *Transport) {
	t.Helper()
	if options.Timeout == 0 {
		options.Timeout = 10 * time.Second
	}
	if options.Wrote == nil {
		options.Wrote = func() {}
	}
	sent := New(options)
	out := &http.Client{Transport: sent.Wrap(&http.Transport{DialContext: sent.Dial})}
	t.Cleanup(out.CloseIdleConnections)
	return out, sent
}

func send(t *testing.T, client *http.Client, method, url string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return client.Do(request)
}

func TestWritesAreReportedAndCounted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	t.Cleanup(server.Close)
	wrote := 0
	client, sent := newClient(t, Options{Wrote: func() { wrote++ }})
	for _, request := range []struct {
		method, path string
		wrote        int
	}{
		{"GET", "/api/v1/pods", 0}, {"POST", "/api/v1/pods", 2}, {"PATCH", "/api/v1/pods/a?dryRun=All", 0}, {"DELETE", "/api/v1/pods/a", 2},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 0},
	} {
		wrote = 0
		response, err := send(t, client, request.method, server.URL+request.path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if wrote != request.wrote {
			t.Errorf("%s %s: Wrote was called %d times, want %d: before and after the request", request.method, request.path, wrote, request.wrote)
		}
	}
	stats := sent.Stats()
	if stats.Requests != 5 || stats.Writes != 2 || stats.DryRuns != 1 || stats.Dials == 0 || stats.BytesSent == 0 || stats.BytesReceived == 0 {
		t.Errorf("%+v", stats)
	}
}

func TestPlaceIsGivenBackWithTheBody(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	places := semaphore.NewWeighted(1)
	client, _ := newClient(t, Options{InFlight: places})
	response, err := send(t, client, "GET", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if places.TryAcquire(1) {
		t.Error("the slot was released before the body was closed")
	}
	_ = response.Body.Close()
	if !places.TryAcquire(1) {
		t.Error("the slot was not released")
	}
}

func TestUnreachableIsNotTriedAgainAtOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	_ = listener.Close()
	places := semaphore.NewWeighted(1)
	client, sent := newClient(t, Options{InFlight: places})
	_, err = send(t, client, "GET", url)
	var dial *DialError
	if !errors.As(err, &dial) || !IsConnectFailure(err) {
		t.Errorf("error %v", err)
	}
	_, err = send(t, client, "GET", url)
	var down *DownError
	if !errors.As(err, &down) || !IsConnectFailure(down.Cause) || sent.Down(t.Context()) == nil {
		t.Errorf("error %v", err)
	}
	if sent.Stats().Dials != 2 || !places.TryAcquire(1) {
		t.Errorf("%+v; want one dial and its retry, and no slot in use", sent.Stats())
	}
}
