package transport

import (
	"context"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Options are the limits of a Transport.
type Options struct {
	// Timeout bounds one HTTP request, from its start until the response is read.
	Timeout time.Duration
	// InFlight bounds the requests that are under way at once, of all transports that share it. nil: no bound.
	InFlight *semaphore.Weighted
	// Observe is told of every request that is over; nil: nobody wants to know.
	Observe func(context.Context, Exchange)
	// Verify is asked before a new connection is used; nil: any will do. An error of it is that of the connection.
	Verify func(context.Context) error
	// Wrote is called before a request that may change the cluster is sent, and after it has ended.
	Wrote func()
}

// Transport sends the requests of one cluster: it fails fast while the cluster is down, keeps to the limit of requests in flight, bounds
// every request in time and every answer in size, follows no redirect, repeats a failed connection once and a failed read twice, and counts.
type Transport struct {
	options  Options
	health   *health
	patience *patience
	large    chan struct{}
	meter    *meter
}

// New returns a Transport that has sent nothing yet.
func New(options Options) *Transport {
	return &Transport{options: options, health: newHealth(), patience: newPatience(), large: make(chan struct{}, largeAtOnce), meter: &meter{}}
}

// Wrap makes base send requests in the way of the Transport. base is to be the innermost layer, so that the time that a credential plugin
// takes is not part of a request's, and one that no other cluster uses.
func (t *Transport) Wrap(base http.RoundTripper) http.RoundTripper {
	shortHandshake(base)
	return &roundTripper{Transport: t, base: base}
}

// Dial connects, and counts what goes over the connection.
func (t *Transport) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := t.DialUnverified(ctx, network, address)
	if err != nil || t.options.Verify == nil {
		return conn, err
	}
	if err := t.options.Verify(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// DialUnverified is Dial for what verifies.
func (t *Transport) DialUnverified(ctx context.Context, network, address string) (net.Conn, error) {
	return t.meter.dial(ctx, network, address)
}

// Down returns a *DownError while the cluster counts as not reachable, or, to a context that hurries, while it was waited for long enough.
func (t *Transport) Down(ctx context.Context) error {
	if err := t.lostPatience(ctx); err != nil {
		return err
	}
	return t.health.down()
}

// Stats returns the counts so far.
func (t *Transport) Stats() Stats { return t.meter.stats() }

// enter waits for a place among the requests in flight.
func (t *Transport) enter(ctx context.Context) error {
	if t.options.InFlight == nil {
		return nil
	}
	return t.options.InFlight.Acquire(ctx, 1)
}

func (t *Transport) leave() {
	if t.options.InFlight != nil {
		t.options.InFlight.Release(1)
	}
}

// shortHandshake bounds the TLS handshake like a dial. client-go has no setting for it; the transport is this cluster's own, because it
// was made with a dial function of its own, and not in use yet.
func shortHandshake(tripper http.RoundTripper) {
	for {
		switch layer := tripper.(type) {
		case *http.Transport:
			layer.TLSHandshakeTimeout = dialTimeout
			return
		case utilnet.RoundTripperWrapper:
			tripper = layer.WrappedRoundTripper()
		default:
			return
		}
	}
}
