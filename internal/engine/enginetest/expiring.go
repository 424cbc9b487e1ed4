package enginetest

import (
	"context"
	"sync"
	"time"
)

// expiring is a context whose deadline passes when a test says so.
type expiring struct {
	context.Context
	done chan struct{}
}

// Expiring returns a context that ends with its parent, or as if its deadline had passed when expire is called. Tests need not wait for a real deadline.
func Expiring(parent context.Context) (ctx context.Context, expire func()) {
	out := &expiring{Context: parent, done: make(chan struct{})}
	expire = sync.OnceFunc(func() { close(out.done) })
	context.AfterFunc(parent, expire)
	return out, expire
}

func (e *expiring) Done() <-chan struct{} { return e.done }

func (e *expiring) Err() error {
	select {
	case <-e.done:
	default:
		return nil
	}
	if err := e.Context.Err(); err != nil {
		return err
	}
	return context.DeadlineExceeded
}

// Deadline returns a time far in the future, like that of a long timeout.
func (e *expiring) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), true }
