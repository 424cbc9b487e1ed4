package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
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
	t.meter.count(request)
	if effectOf(request) == mayWrite {
		t.options.Wrote()
		defer t.options.Wrote()
	}
	response, err := t.base.RoundTrip(request.WithContext(ctx))
	if err != nil {
		err = timedOut(ctx, err)
		giveUp(nil)
		cancel()
		return nil, err
	}
	response.Body = &body{ReadCloser: response.Body, ctx: ctx, done: func() {
		giveUp(nil)
		cancel()
		t.leave()
	}}
	return response, nil
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

// body ends the request when it is closed, whether it was read or not.
type body struct {
	io.ReadCloser
	ctx  context.Context //nolint:containedctx // it is the request's own, which net/http keeps in the same way
	once sync.Once
	done func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = timedOut(b.ctx, err)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.done)
	return err
}
