package transport

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Stats counts the traffic of one Transport.
type Stats struct {
	// Requests includes retries.
	Requests int64
	// Writes is the number of requests that may change the cluster. It excludes dry runs and access reviews.
	Writes  int64
	DryRuns int64
	// Dials includes failed attempts to connect.
	Dials int64
	// BytesSent and BytesReceived are the bytes on the network, after TLS and compression.
	BytesSent     int64
	BytesReceived int64
}

type meter struct {
	requests, writes, dryRuns, dials, sent, received atomic.Int64
}

func (m *meter) stats() Stats {
	return Stats{
		Requests: m.requests.Load(), Writes: m.writes.Load(), DryRuns: m.dryRuns.Load(), Dials: m.dials.Load(),
		BytesSent: m.sent.Load(), BytesReceived: m.received.Load(),
	}
}

func (m *meter) count(request *http.Request) {
	m.requests.Add(1)
	switch effectOf(request) {
	case effectDryRun:
		m.dryRuns.Add(1)
	case effectWrite:
		m.writes.Add(1)
	case effectRead:
	}
}

type effect int

const (
	effectRead effect = iota
	effectDryRun
	effectWrite
)

func effectOf(request *http.Request) effect {
	switch {
	case request.Method == http.MethodGet || request.Method == http.MethodHead:
		return effectRead
	case strings.HasPrefix(request.URL.Path, "/apis/authorization.k8s.io/"):
		return effectRead
	case request.URL.Query().Has("dryRun"):
		return effectDryRun
	default:
		return effectWrite
	}
}

// dialTimeout is the timeout for one attempt to connect, over all addresses of a name.
const dialTimeout = 5 * time.Second

func (m *meter) dial(ctx context.Context, network, address string) (net.Conn, error) {
	m.dials.Add(1)
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, &DialError{err}
	}
	return &meteredConn{Conn: conn, meter: m}, nil
}

type meteredConn struct {
	net.Conn
	meter *meter
}

func (c *meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.meter.received.Add(int64(n))
	return n, err
}

func (c *meteredConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.meter.sent.Add(int64(n))
	return n, err
}
