package kube

import (
	"context"
	"sync"
)

// memo keeps a value that is dear to fetch. One caller at a time fetches, with its own context; the others wait for it, each as long as
// its own context lets it. A failure is not kept: were it, one cancelled caller would have failed everybody after it.
//
// singleflight would not make this shorter: it knows no contexts, hands the failure of a caller who gave up to all who wait, and cannot
// tell a renewed value from the one that was seen.
type memo[T any] struct {
	fetching chan struct{} // holds one token while somebody fetches

	mu    sync.Mutex
	value *T
	epoch int // counts resets, so that what was fetched before one is not kept after it
}

func newMemo[T any]() *memo[T] { return &memo[T]{fetching: make(chan struct{}, 1)} }

// get returns the value, and fetches it if there is none.
func (m *memo[T]) get(ctx context.Context, fetch func(context.Context) (T, error)) (*T, error) {
	return m.newer(ctx, nil, fetch)
}

// newer returns a value other than seen: one that was fetched meanwhile, or a new one. When fetching fails, the old value stays.
func (m *memo[T]) newer(ctx context.Context, seen *T, fetch func(context.Context) (T, error)) (*T, error) {
	if value, _ := m.current(); value != nil && value != seen {
		return value, nil
	}
	select {
	case m.fetching <- struct{}{}:
		defer func() { <-m.fetching }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	value, epoch := m.current()
	if value != nil && value != seen {
		return value, nil
	}
	fetched, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.epoch == epoch {
		m.value = &fetched
	}
	return &fetched, nil
}

// offer sets the value if there is none.
func (m *memo[T]) offer(value T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.value == nil {
		m.value = &value
	}
}

// peek returns the value if there is one.
func (m *memo[T]) peek() *T {
	value, _ := m.current()
	return value
}

func (m *memo[T]) current() (*T, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.value, m.epoch
}

func (m *memo[T]) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.value = nil
	m.epoch++
}
