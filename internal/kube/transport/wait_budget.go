package transport

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// patienceLimit is how long plans of this process wait for the answers of one cluster, over all requests. What a fast cluster needs
	// is given back with every answer.
	patienceLimit = 25 * time.Second
	// answerCredit is given back for every answer but those that the server itself makes us ask for, the further pages of a list. A request
	// that takes no longer costs nothing, so a placement may have any number of objects.
	answerCredit = 250 * time.Millisecond
	// patienceLostFor is how long a cluster that has used it up is not waited for. It is longer than a plan.
	patienceLostFor = 5 * time.Minute
	// maxRetryAfter bounds how long a server may make a plan wait before it asks again.
	maxRetryAfter = 5 * time.Second
)

type hurryKey struct{}

// Hurry returns a context whose requests wait for a cluster only as long as its patience lasts: it is for looks at clusters, of which none
// may hold up the others. A write, and what decides on one, waits as long as its own context lets it.
func Hurry(ctx context.Context) context.Context { return context.WithValue(ctx, hurryKey{}, true) }

func hurries(ctx context.Context) bool { return ctx.Value(hurryKey{}) != nil }

// ImpatientError is a cluster for which a plan has waited long enough.
type ImpatientError struct{ After time.Duration }

// Timeout and Temporary make it a net.Error.
func (e *ImpatientError) Timeout() bool   { return true }
func (e *ImpatientError) Temporary() bool { return true }

func (e *ImpatientError) Error() string {
	return fmt.Sprintf("its answers take too long: a plan waits %s for one cluster", e.After)
}

// patience adds up how long a cluster was waited for. Requests that are under way at the same time count once.
type patience struct {
	now func() time.Time

	mu      sync.Mutex
	waiting int
	counted time.Time // up to when spent is right, while something is waited for
	spent   time.Duration
	lost    time.Time // when it was used up
}

func newPatience() *patience { return &patience{now: time.Now} }

// left is how long the cluster may still be waited for.
func (p *patience) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
	return patienceLimit - p.spent
}

// begin counts the time until the function is called that it returns.
func (p *patience) begin() (end func(credit bool)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
	p.waiting++
	return func(credit bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count()
		p.waiting--
		if credit && p.lost.IsZero() {
			p.spent = max(0, p.spent-answerCredit)
		}
	}
}

// charge counts time that a cluster asks for before it is asked again.
func (p *patience) charge(wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
	p.spent += wait
}

func (p *patience) count() {
	now := p.now()
	if p.waiting > 0 {
		p.spent += now.Sub(p.counted)
	}
	p.counted = now
	switch {
	case p.spent < patienceLimit:
	case p.lost.IsZero():
		p.lost = now
	case now.Sub(p.lost) >= patienceLostFor:
		p.lost, p.spent = time.Time{}, 0
	}
}

// Wait bounds something other than a request that a cluster is waited for, such as a credential plugin. The function it returns must be
// called when it is over.
func (t *Transport) Wait(ctx context.Context) (context.Context, func(), error) {
	if !hurries(ctx) {
		return ctx, func() {}, nil
	}
	if err := t.lostPatience(ctx); err != nil {
		return nil, nil, err
	}
	end := t.patience.begin()
	bounded, cancel := context.WithTimeoutCause(ctx, t.patience.left(), &ImpatientError{After: patienceLimit})
	return bounded, func() {
		cancel()
		end(false)
	}, nil
}

func (t *Transport) lostPatience(ctx context.Context) error {
	if hurries(ctx) && t.patience.left() <= 0 {
		return &DownError{Cause: &ImpatientError{After: patienceLimit}}
	}
	return nil
}
