package transport

import (
	"context"
	"net/http"
	"time"
)

// firstAnswer is how long a cluster that has not answered yet, or not since it was down, may take to begin an answer, over all attempts of a request.
// All requests to it wait for that one, and a plan over many clusters for this cluster.
const firstAnswer = 8 * time.Second

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
	response, placed, err := t.send(request)
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
	if placed {
		t.leave()
	}
	return nil, err
}

// attempt sends the request once. On success its place among those in flight is given back when the body is closed. since is when the first attempt
// began.
func (t *roundTripper) attempt(request *http.Request, since time.Time) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(request.Context(), t.options.Timeout, &TimeoutError{After: t.options.Timeout})
	ctx, giveUp := context.WithCancelCause(ctx)
	if !t.health.isAlive() {
		timer := time.AfterFunc(firstAnswer-time.Since(since), func() { giveUp(&TimeoutError{After: firstAnswer}) })
		defer timer.Stop()
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

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
}
