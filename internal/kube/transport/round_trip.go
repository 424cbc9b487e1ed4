package transport

import (
	"context"
	"net/http"
	"time"
)

const (
	// redialAfter is the pause before the one repetition of a failed connection.
	redialAfter = 200 * time.Millisecond
	// firstAnswer is how long a cluster that has not answered yet, or not since it was down, may take to begin an answer. All requests
	// to it wait for that one, and a plan over many clusters for this cluster.
	firstAnswer = 8 * time.Second
)

// roundTripper sends the requests of a Transport by way of another one.
type roundTripper struct {
	*Transport
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.lostPatience(request.Context()); err != nil {
		closeBody(request)
		return nil, err
	}
	leave, err := t.health.enter(request.Context())
	if err != nil {
		closeBody(request)
		return nil, err
	}
	if err := t.enter(request.Context()); err != nil {
		leave(noEvidence, nil)
		closeBody(request)
		return nil, err
	}
	response, err := t.attempt(request)
	// A connection that takes too long is not tried again: the network below has repeated it, and it would double the wait.
	if isDialFailure(err) && !isTimeout(err) && mayRedial(request) {
		response, err = t.redial(request, err)
	}
	switch {
	case err == nil:
		leave(answered, nil)
		return response, nil
	case request.Context().Err() != nil:
		leave(noEvidence, nil)
	case IsConnectFailure(err):
		leave(unreached, err)
	default:
		leave(struck, err)
	}
	t.leave()
	return nil, err
}

// attempt sends the request once. On success its place among those in flight is given back when the body is closed.
func (t *roundTripper) attempt(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(request.Context(), t.options.Timeout, &TimeoutError{After: t.options.Timeout})
	ctx, giveUp := context.WithCancelCause(ctx)
	if !t.health.isAlive() {
		defer time.AfterFunc(firstAnswer, func() { giveUp(&TimeoutError{After: firstAnswer}) }).Stop()
	}
	began, end := time.Now(), t.hurry(request.Context(), giveUp)
	t.meter.count(request)
	if effectOf(request) == mayWrite {
		t.options.Wrote()
		defer t.options.Wrote()
	}
	response, err := t.base.RoundTrip(request.WithContext(ctx))
	if err == nil {
		if err = checkAnswer(response); err != nil {
			_ = response.Body.Close()
		}
	}
	if err != nil {
		err = timedOut(ctx, err)
		giveUp(nil)
		cancel()
		end(false)
		t.observe(request, began, statusOf(response), 0, err)
		return nil, err
	}
	if hurries(request.Context()) {
		t.boundRetry(response)
	}
	response.Body = &body{ReadCloser: response.Body, ctx: ctx, large: t.large, done: func(b *body) {
		giveUp(nil)
		cancel()
		end(b.err == nil && !request.URL.Query().Has("continue"))
		t.observe(request, began, response.StatusCode, b.bytes, b.err)
		t.leave()
	}}
	return response, nil
}

// hurry lets a request of a context that hurries end with the patience for the cluster.
func (t *Transport) hurry(ctx context.Context, giveUp context.CancelCauseFunc) (end func(credit bool)) {
	if !hurries(ctx) {
		return func(bool) {}
	}
	counted := t.patience.begin()
	timer := time.AfterFunc(t.patience.left(), func() { giveUp(&ImpatientError{After: patienceLimit}) })
	return func(credit bool) {
		timer.Stop()
		counted(credit)
	}
}

func statusOf(response *http.Response) int {
	if response == nil {
		return 0
	}
	return response.StatusCode
}

func (t *roundTripper) redial(request *http.Request, first error) (*http.Response, error) {
	timer := time.NewTimer(redialAfter)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-request.Context().Done():
		return nil, first
	}
	again := request.Clone(request.Context())
	if request.GetBody != nil {
		fresh, err := request.GetBody()
		if err != nil {
			return nil, first
		}
		again.Body = fresh
	}
	return t.attempt(again)
}

// mayRedial reports whether the request can be sent again: its body, closed by the first attempt, must be one that can be had afresh.
func mayRedial(request *http.Request) bool {
	return request.Context().Err() == nil && (request.Body == nil || request.GetBody != nil)
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
}
