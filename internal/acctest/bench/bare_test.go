package bench_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
)

// barePaths are the LIST requests for all data that a preview of the placement web needs.
var barePaths = []string{
	"/api/v1/namespaces/fleet-system/configmaps?labelSelector=fleet.terraform.io/record",
	"/api/v1/namespaces/web",
	"/apis/apps/v1/namespaces/web/deployments",
	"/api/v1/namespaces/web/services",
	"/api/v1/namespaces/web/configmaps",
	"/api/v1/namespaces/web/secrets",
	"/api/v1/namespaces/web/serviceaccounts",
}

// bareClient reads from members with net/http alone and discards the responses: the lower bound for any client.
type bareClient struct {
	clients map[string]*http.Client
	hosts   map[string]string

	mu          sync.Mutex
	connections []net.Conn

	requests, received, sent, dials atomic.Int64
}

func newBare(tb testing.TB, f *fleet) *bareClient {
	tb.Helper()
	out := &bareClient{clients: map[string]*http.Client{}, hosts: map[string]string{}}
	for _, name := range f.Members {
		config, err := f.RESTConfig(name)
		if err != nil {
			tb.Fatal(err)
		}
		config.Dial = out.dial
		if out.clients[name], err = rest.HTTPClientFor(config); err != nil {
			tb.Fatal(err)
		}
		out.hosts[name] = config.Host
	}
	return out
}

// run reads everything from all members, with as many members in parallel as the engine, and all paths of a member in parallel.
func (c *bareClient) run(ctx context.Context, members []string) error {
	return concurrently(clusterset.DefaultAtOnce, members, func(name string) error {
		return concurrently(len(barePaths), barePaths, func(path string) error { return c.get(ctx, name, path) })
	})
}

func (c *bareClient) get(ctx context.Context, member, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.hosts[member]+path, nil)
	if err != nil {
		return err
	}
	c.requests.Add(1)
	response, err := c.clients[member].Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", member, path, response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// close closes all connections. CloseIdleConnections would not, because client-go wraps the transports.
func (c *bareClient) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, connection := range c.connections {
		_ = connection.Close()
	}
	c.connections = nil
}

func (c *bareClient) traffic() traffic {
	return traffic{c.requests.Load(), c.received.Load(), c.sent.Load(), c.dials.Load()}
}

func (c *bareClient) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.dials.Add(1)
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connections = append(c.connections, conn)
	return &countedConn{conn, c}, nil
}

// countedConn counts the bytes of a connection.
type countedConn struct {
	net.Conn
	client *bareClient
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.client.received.Add(int64(n))
	return n, err
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.client.sent.Add(int64(n))
	return n, err
}
