package transport

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// waitLimit is the maximum time for which the plans of this process wait for one cluster, over all requests. Each answer adds answerCredit
	// to the remaining time.
	waitLimit = 25 * time.Second
	// answerCredit is the time that is added for every answer, except for the further pages of a list, because the server controls their number. A request that
	// takes no longer than this costs nothing, so that a placement can have any number of objects.
	answerCredit = 250 * time.Millisecond
	// waitResetAfter is how long a cluster that has used up its limit is skipped. It is longer than a plan takes.
	waitResetAfter = 5 * time.Minute
	maxRetryAfter  = 5 * time.Second
)

type failFastKey struct{}

// FailFast returns a context whose requests fail once the cluster's wait budget is used up. It is for reads in which one cluster must not delay
// the others. Writes, and reads that decide on a write, are bounded by their own context.
func FailFast(ctx context.Context) context.Context {
	return context.WithValue(ctx, failFastKey{}, true)
}

func isFailFast(ctx context.Context) bool { return ctx.Value(failFastKey{}) != nil }

// WaitBudgetError is returned when a cluster's wait budget is used up.
type WaitBudgetError struct{ After time.Duration }

// Timeout and Temporary make WaitBudgetError a net.Error.
func (e *WaitBudgetError) Timeout() bool   { return true }
func (e *WaitBudgetError) Temporary() bool { return true }

func (e *WaitBudgetError) Error() string {
	return fmt.Sprintf("its answers take too long: a plan waits at most %s for one cluster", e.After)
}

// waitBudget sums the time for which requests wait for a cluster. Parallel requests count once.
type waitBudget struct {
	now func() time.Time

	mu      sync.Mutex
	waiting int
	counted time.Time // time up to which spent is current, while requests are waiting
	spent   time.Duration
	usedUp  time.Time
}

func newWaitBudget() *waitBudget { return &waitBudget{now: time.Now} }

func (p *waitBudget) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
	return waitLimit - p.spent
}

// begin counts the time until end is called. credit reports that the request received an answer, so that answerCredit is added.
func (p *waitBudget) begin() (end func(credit bool)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
	p.waiting++
	return func(credit bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count()
		p.waiting--
		if credit && p.usedUp.IsZero() {
			p.spent = max(0, p.spent-answerCredit)
		}
	}
}

// charge counts the wait of a Retry-After.
func (p *waitBudget) charge(wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
	p.spent += wait
}

// onceUsedUp calls f when no time is left. Credit that other requests earn in the meantime delays the call. The caller must call stop. After stop has
// returned, f is not called.
func (p *waitBudget) onceUsedUp(f func()) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(p.left(), func() {
		mu.Lock()
		defer mu.Unlock()
		left := p.left()
		switch {
		case stopped:
		case left > 0:
			timer.Reset(left)
		default:
			f()
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

func (p *waitBudget) count() {
	now := p.now()
	if p.waiting > 0 {
		p.spent += now.Sub(p.counted)
	}
	p.counted = now
	switch {
	case p.spent < waitLimit:
	case p.usedUp.IsZero():
		p.usedUp = now
	case now.Sub(p.usedUp) >= waitResetAfter:
		p.usedUp, p.spent = time.Time{}, 0
	}
}

// Wait limits a wait for a cluster that is not a request, for example for a credential plugin. The caller must use the returned context, and
// call the returned function at the end of the wait.
func (t *Transport) Wait(ctx context.Context) (context.Context, func(), error) {
	if !isFailFast(ctx) {
		return ctx, func() {}, nil
	}
	if err := t.checkBudget(ctx); err != nil {
		return nil, nil, err
	}
	bounded, cancel := context.WithCancelCause(ctx)
	end := t.boundWait(ctx, cancel)
	return bounded, func() {
		cancel(nil)
		end(false)
	}, nil
}

func (t *Transport) checkBudget(ctx context.Context) error {
	if isFailFast(ctx) && t.budget.left() <= 0 {
		return &DownError{Cause: &WaitBudgetError{After: waitLimit}}
	}
	return nil
}
