package transport

import (
	"context"
	"net/http"
	"strings"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

const redialAfter = 200 * time.Millisecond

var retryAfter = [...]time.Duration{250 * time.Millisecond, time.Second}

// send retries any request once if no connection was made. It retries a read up to twice if its connection broke or the server is busy. Each attempt has the
// full Options.Timeout, but retries extend neither firstAnswer nor the wait budget. If send returns an error, hasSlot reports whether the request still has
// its slot of the requests in flight. If send returns a response, closing the body releases the slot.
func (t *roundTripper) send(request *http.Request) (response *http.Response, hasSlot bool, err error) {
	began := time.Now()
	response, err = t.attempt(request, began)
	if canRedial(err) {
		response, err = t.redial(request, err, began)
	}
	for _, pause := range retryAfter {
		if !canRetry(request, response, err) || !t.wait(request.Context(), pause) {
			break
		}
		repeated, ok := repeatable(request)
		if !ok {
			break
		}
		if response != nil {
			_ = response.Body.Close() // releases the slot
			if err := t.acquireSlot(request.Context()); err != nil {
				return nil, false, err
			}
		}
		response, err = t.attempt(repeated, began)
	}
	return response, true, err
}

// redial sends the request again. first is the error of the first attempt. If the retry is not possible or times out, redial returns this error.
func (t *roundTripper) redial(request *http.Request, first error, began time.Time) (*http.Response, error) {
	repeated, ok := repeatable(request)
	if !ok || !t.wait(request.Context(), redialAfter) {
		return nil, first
	}
	response, err := t.attempt(repeated, began)
	if err != nil && isTimeout(err) {
		err = first
	}
	return response, err
}

// wait waits for the pause. It returns false if the context ends before the pause does, or if the wait budget of a fail-fast request is too short for the
// pause.
func (t *Transport) wait(ctx context.Context, pause time.Duration) bool {
	if isFailFast(ctx) {
		if t.budget.left() <= pause {
			return false
		}
		defer t.budget.begin()(false)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// canRedial reports whether a retry of the connection may succeed. A timeout is not retried, because the operating system has already
// retried, and the wait would double. A TLS handshake timeout is retried, because its cause is a busy server.
func canRedial(err error) bool {
	return isDialFailure(err) && (!isTimeout(err) || isHandshakeTimeout(err))
}

// canRetry reports whether to retry a request: it is a read, and its connection broke or the server is busy. If the server sends Retry-After, client-go
// retries.
func canRetry(request *http.Request, response *http.Response, err error) bool {
	switch {
	case effectOf(request) != effectRead || request.Context().Err() != nil:
		return false
	case err != nil:
		return isBroken(err)
	default:
		busy := response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= http.StatusInternalServerError
		return busy && response.Header.Get("Retry-After") == ""
	}
}

func isBroken(err error) bool {
	return utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err) || strings.Contains(err.Error(), "stream error: ")
}

// repeatable returns a copy of the request for another attempt. ok is false if the body of the request cannot be read again.
func repeatable(request *http.Request) (repeated *http.Request, ok bool) {
	repeated = request.Clone(request.Context())
	if request.Body == nil || request.Body == http.NoBody {
		return repeated, true
	}
	if request.GetBody == nil {
		return nil, false
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, false
	}
	repeated.Body = body
	return repeated, true
}
