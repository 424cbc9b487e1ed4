package transport

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// downFor is how long a cluster that could not be reached is not tried again, so that 200 objects on a dead cluster cost one
	// failed connection rather than 200.
	downFor = 10 * time.Second
	// maxStrikes is the number of failures in a row, on connections that had been made, after which a cluster counts as not
	// reachable: a single one is often a load balancer that closes an idle connection.
	maxStrikes = 3
)

// evidence is what one request says about the reachability of its cluster.
type evidence int

const (
	noEvidence evidence = iota // the caller gave up first
	answered                   // any HTTP response
	struck                     // the connection broke, or no answer came in time
	unreached                  // no connection could be made
)

// health remembers whether a cluster can be reached. While that is not known one request alone goes ahead; the others wait for what it
// finds, rather than each running into the same timeout while it holds a place among those in flight.
type health struct {
	now   func() time.Time
	probe chan struct{} // holds one token while a request finds out

	mu      sync.Mutex
	alive   bool
	strikes int
	failed  *DownError
}

func newHealth() *health {
	return &health{now: time.Now, probe: make(chan struct{}, 1)}
}

// down returns an error while the cluster counts as not reachable.
func (h *health) down() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		return nil
	}
	if h.now().Sub(h.failed.at) >= downFor {
		h.failed = nil
		return nil
	}
	return &DownError{Cause: h.failed.Cause, at: h.failed.at}
}

// enter waits until a request may be sent. The function it returns must be told how the request went.
func (h *health) enter(ctx context.Context) (func(evidence, error), error) {
	if h.isAlive() {
		return h.report, nil
	}
	if err := h.down(); err != nil {
		return nil, err
	}
	select {
	case h.probe <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	done := func() { <-h.probe }
	if h.isAlive() {
		done()
		return h.report, nil
	}
	if err := h.down(); err != nil {
		done()
		return nil, err
	}
	return func(what evidence, cause error) {
		h.report(what, cause)
		done()
	}, nil
}

func (h *health) isAlive() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.alive
}

func (h *health) report(what evidence, cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch what {
	case answered:
		h.alive, h.strikes, h.failed = true, 0, nil
		return
	case struck:
		h.strikes++
		var late *TimeoutError
		// Of a cluster that never answered, one request without an answer is enough: the next would take as long.
		if h.strikes < maxStrikes && (h.alive || !errors.As(cause, &late)) {
			return
		}
	case unreached:
	case noEvidence:
		return
	}
	h.alive, h.strikes = false, 0
	h.failed = &DownError{Cause: cause, at: h.now()}
}
