package transport

import (
	"context"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Options configure a Transport.
type Options struct {
	// Timeout is the time limit for one HTTP request, from its start until the response is read.
	Timeout time.Duration
	// InFlight limits the requests in flight of all transports that share it. If it is nil, there is no limit.
	InFlight *semaphore.Weighted
	// Observe, if not nil, is called after every request.
	Observe func(context.Context, Exchange)
	// Verify, if not nil, is called before a new connection is used. If it returns an error, Dial closes the connection and returns the error.
	Verify func(context.Context) error
	// Wrote is called before and after a request that may change the cluster.
	Wrote func()
}

// Transport sends the requests to one cluster. It fails fast while the cluster is unreachable, limits the requests in flight, the time of every request and the
// size of every answer, and counts the traffic. It follows no redirects. It retries a failed connection once and a failed read twice.
type Transport struct {
	options Options
	health  *health
	budget  *waitBudget
	large   chan struct{}
	meter   *meter
}

// New returns a Transport that has sent nothing yet.
func New(options Options) *Transport {
	return &Transport{options: options, health: newHealth(), budget: newWaitBudget(), large: make(chan struct{}, largeAtOnce), meter: &meter{}}
}

// Wrap returns a round tripper that sends requests through base. base must be the innermost layer, so that the time of a credential plugin
// does not count as the time of the request. base must not be shared with other clusters.
func (t *Transport) Wrap(base http.RoundTripper) http.RoundTripper {
	shortHandshake(base)
	return &roundTripper{Transport: t, base: base}
}

// Dial connects, counts the connection's traffic, and calls Options.Verify.
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

// DialUnverified is like Dial, but does not call Options.Verify. It is for the connections of Options.Verify itself.
func (t *Transport) DialUnverified(ctx context.Context, network, address string) (net.Conn, error) {
	return t.meter.dial(ctx, network, address)
}

// Down returns a *DownError while the cluster counts as unreachable, or, for a context of FailFast, while its wait budget is used up.
func (t *Transport) Down(ctx context.Context) error {
	if err := t.checkBudget(ctx); err != nil {
		return err
	}
	return t.health.checkDown()
}

// Stats returns the counts of requests and traffic so far.
func (t *Transport) Stats() Stats { return t.meter.stats() }

func (t *Transport) acquireSlot(ctx context.Context) error {
	if t.options.InFlight == nil {
		return nil
	}
	return t.options.InFlight.Acquire(ctx, 1)
}

func (t *Transport) releaseSlot() {
	if t.options.InFlight != nil {
		t.options.InFlight.Release(1)
	}
}

// shortHandshake sets dialTimeout as the timeout of the TLS handshake, for which client-go has no setting. No other client uses the changed transport:
// client-go does not share a transport with a custom dial function.
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
