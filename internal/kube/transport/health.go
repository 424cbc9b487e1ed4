package transport

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// downFor is how long no request is sent to an unreachable cluster, so that 200 objects on it cost one failed connection instead of 200.
	downFor = 10 * time.Second
	// maxFailures is the number of consecutive failures on open connections after which a cluster counts as unreachable. A single failure is
	// often a load balancer that closes an idle connection.
	maxFailures = 3
)

type outcome int

const (
	unknownOutcome   outcome = iota // the caller was cancelled first
	answerReceived                  // an HTTP response of an API server
	connectionBroken                // the connection broke, or the request timed out
	unreachable                     // no connection to an API server could be made
)

// health tracks whether a cluster is reachable. While the reachability is unknown, only one request is sent, and the others wait for its
// outcome. If all were sent, each would wait for the same timeout and occupy a slot of the requests in flight.
type health struct {
	now   func() time.Time
	probe chan struct{} // holds one token during the first request

	mu       sync.Mutex
	alive    bool
	failures int
	failed   *DownError
}

func newHealth() *health {
	return &health{now: time.Now, probe: make(chan struct{}, 1)}
}

func (h *health) checkDown() error {
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

// enter waits until a request may be sent. It returns a *DownError if the cluster counts as unreachable. The caller must call the returned function with the
// outcome of the request.
func (h *health) enter(ctx context.Context) (func(outcome, error), error) {
	if h.isAlive() {
		return h.report, nil
	}
	if err := h.checkDown(); err != nil {
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
	if err := h.checkDown(); err != nil {
		done()
		return nil, err
	}
	return func(result outcome, cause error) {
		h.report(result, cause)
		done()
	}, nil
}

func (h *health) isAlive() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.alive
}

func (h *health) report(result outcome, cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch result {
	case answerReceived:
		h.alive, h.failures, h.failed = true, 0, nil
		return
	case connectionBroken:
		h.failures++
		var late *TimeoutError
		// While the reachability is unknown, one timeout is enough: the next request would take as long.
		if h.failures < maxFailures && (h.alive || !errors.As(cause, &late)) {
			return
		}
	case unreachable:
	case unknownOutcome:
		return
	}
	h.alive, h.failures = false, 0
	h.failed = &DownError{Cause: cause, at: h.now()}
}
