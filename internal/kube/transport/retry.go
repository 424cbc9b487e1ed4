package transport

import (
	"context"
	"net/http"
	"strings"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// redialAfter is the pause before the one repetition of a failed connection.
const redialAfter = 200 * time.Millisecond

// retryAfter are the pauses before a read is repeated.
var retryAfter = [...]time.Duration{250 * time.Millisecond, time.Second}

// send sends the request, and repeats it where that helps: any request for which no connection was made, once, and a read on a connection that
// broke or a server that cannot serve it now. The time for which the cluster may be waited for stays the same. placed says that the request still has
// its place among those in flight; the body of a response has it.
func (t *roundTripper) send(request *http.Request) (response *http.Response, placed bool, err error) {
	began := time.Now()
	response, err = t.attempt(request, began)
	if mayRedial(err) {
		response, err = t.redial(request, err, began)
	}
	for _, pause := range retryAfter {
		if !mayRetry(request, response, err) || !t.wait(request.Context(), pause) {
			break
		}
		again, fresh := repetition(request)
		if !fresh {
			break
		}
		if response != nil {
			_ = response.Body.Close() // which gives the place back
			if err := t.enter(request.Context()); err != nil {
				return nil, false, err
			}
		}
		response, err = t.attempt(again, began)
	}
	return response, true, err
}

// redial sends a request again for which no connection was made. One that has no time left fails as it did before.
func (t *roundTripper) redial(request *http.Request, first error, began time.Time) (*http.Response, error) {
	again, fresh := repetition(request)
	if !fresh || !t.wait(request.Context(), redialAfter) {
		return nil, first
	}
	response, err := t.attempt(again, began)
	if err != nil && isTimeout(err) {
		err = first
	}
	return response, err
}

// wait pauses before a repetition. It reports false if there is no time for that.
func (t *Transport) wait(ctx context.Context, pause time.Duration) bool {
	if hurries(ctx) {
		if t.patience.left() <= pause {
			return false
		}
		defer t.patience.begin()(false)
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

// mayRedial reports whether another attempt may connect. One that was not answered at all is not repeated: the network below has repeated it, and it
// would double the wait. A TLS handshake that takes too long is a server that is busy.
func mayRedial(err error) bool {
	return isDialFailure(err) && (!isTimeout(err) || isHandshakeTimeout(err))
}

// mayRetry reports whether a read is worth another attempt: its connection broke, or the server could not serve it and does not say when it can.
// The caller repeats one with a Retry-After by itself.
func mayRetry(request *http.Request, response *http.Response, err error) bool {
	switch {
	case effectOf(request) != readsOnly || request.Context().Err() != nil:
		return false
	case err != nil:
		return isBroken(err)
	default:
		busy := response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= http.StatusInternalServerError
		return busy && response.Header.Get("Retry-After") == ""
	}
}

// isBroken reports whether the connection, or the stream of the request on it, ended before there was a response.
func isBroken(err error) bool {
	return utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err) || strings.Contains(err.Error(), "stream error: ")
}

// repetition is the request to be sent again; false for one whose body cannot be had again.
func repetition(request *http.Request) (again *http.Request, fresh bool) {
	again = request.Clone(request.Context())
	if request.Body == nil || request.Body == http.NoBody {
		return again, true
	}
	if request.GetBody == nil {
		return nil, false
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, false
	}
	again.Body = body
	return again, true
}
