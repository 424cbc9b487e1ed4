package kube

import "golang.org/x/sync/semaphore"

// MaxParallel is the maximum number of requests that one operation on many objects sends to one cluster in parallel.
const MaxParallel = 8

// Limiter bounds the requests in flight of all clusters that use it, and the memory of their shared reads.
type Limiter struct{ requests, kept *semaphore.Weighted }

// NewLimiter returns a Limiter for maxInFlight requests; zero or less means DefaultMaxInFlight.
func NewLimiter(maxInFlight int) *Limiter {
	if maxInFlight <= 0 {
		maxInFlight = DefaultMaxInFlight
	}
	return &Limiter{requests: semaphore.NewWeighted(int64(maxInFlight)), kept: semaphore.NewWeighted(sharedBudget)}
}

func (l *Limiter) inFlight() *semaphore.Weighted {
	if l == nil {
		return nil
	}
	return l.requests
}

func (l *Limiter) memory() *semaphore.Weighted {
	if l == nil {
		return semaphore.NewWeighted(sharedBudget)
	}
	return l.kept
}
