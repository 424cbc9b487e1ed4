package transport

import (
	"context"
	"net/http"
	"time"
)

// firstAnswer is the time limit for the first answer of a cluster, or for the first answer after it was unreachable, over all attempts of a
// request. All other requests to the cluster wait for this answer, and a plan for many clusters waits for this cluster.
const firstAnswer = 8 * time.Second

type roundTripper struct {
	*Transport
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.checkBudget(request.Context()); err != nil {
		closeBody(request)
		return nil, err
	}
	report, err := t.health.enter(request.Context())
	if err != nil {
		closeBody(request)
		return nil, err
	}
	if err := t.acquireSlot(request.Context()); err != nil {
		report(unknownOutcome, nil)
		closeBody(request)
		return nil, err
	}
	response, hasSlot, err := t.send(request)
	switch {
	case err == nil:
		report(answerReceived, nil)
		return response, nil
	case request.Context().Err() != nil:
		report(unknownOutcome, nil)
	case IsConnectFailure(err):
		report(unreachable, err)
	default:
		report(connectionBroken, err)
	}
	if hasSlot {
		t.releaseSlot()
	}
	return nil, err
}

// attempt sends the request once. If it succeeds, closing the body of the response releases the slot of the requests in flight. since is the start of the
// first attempt.
func (t *roundTripper) attempt(request *http.Request, since time.Time) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(request.Context(), t.options.Timeout, &TimeoutError{After: t.options.Timeout})
	ctx, cancelCause := context.WithCancelCause(ctx)
	if !t.health.isAlive() {
		timer := time.AfterFunc(firstAnswer-time.Since(since), func() { cancelCause(&TimeoutError{After: firstAnswer}) })
		defer timer.Stop()
	}
	began, end := time.Now(), t.boundWait(request.Context(), cancelCause)
	t.meter.count(request)
	if effectOf(request) == effectWrite {
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
		cancelCause(nil)
		cancel()
		end(false)
		t.observe(request, began, statusOf(response), 0, err)
		return nil, err
	}
	if isFailFast(request.Context()) {
		t.boundRetry(response)
	}
	response.Body = &body{ReadCloser: response.Body, ctx: ctx, large: t.large, done: func(b *body) {
		cancelCause(nil)
		cancel()
		end(b.err == nil && !request.URL.Query().Has("continue"))
		t.observe(request, began, response.StatusCode, b.bytes, b.err)
		t.releaseSlot()
	}}
	return response, nil
}

// boundWait calls cancel when the wait budget of the cluster is used up during a fail-fast request or wait. The caller must call end at the end of the
// request; see waitBudget.begin for credit.
func (t *Transport) boundWait(ctx context.Context, cancel context.CancelCauseFunc) (end func(credit bool)) {
	if !isFailFast(ctx) {
		return func(bool) {}
	}
	counted := t.budget.begin()
	stop := t.budget.onceUsedUp(func() { cancel(&WaitBudgetError{After: waitLimit}) })
	return func(credit bool) {
		stop()
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
