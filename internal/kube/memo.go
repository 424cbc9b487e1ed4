package kube

import (
	"context"
	"sync"
)

// memo caches a value. One caller at a time fetches it, with its own context; the others wait as long as their own contexts allow. memo does not cache
// failures, because the failure of a cancelled caller would fail all later callers.
//
// Package singleflight is not sufficient: it has no contexts, passes the failure of a cancelled caller to all waiting callers, and does not
// distinguish a new value from the value that a caller has already seen.
type memo[T any] struct {
	fetching chan struct{} // holds one token during a fetch

	mu    sync.Mutex
	value *T
	epoch int // counts resets: a fetch that began before a reset does not store its value
}

func newMemo[T any]() *memo[T] { return &memo[T]{fetching: make(chan struct{}, 1)} }

func (m *memo[T]) get(ctx context.Context, fetch func(context.Context) (T, error)) (*T, error) {
	return m.getNewer(ctx, nil, fetch)
}

// getNewer returns a value other than seen: one that another caller has fetched, or a new one. seen may be nil. If the fetch fails, the old value remains.
func (m *memo[T]) getNewer(ctx context.Context, seen *T, fetch func(context.Context) (T, error)) (*T, error) {
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

func (m *memo[T]) setIfEmpty(value T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.value == nil {
		m.value = &value
	}
}

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
