package kube

import "golang.org/x/sync/semaphore"

// Limiter bounds the requests that all clusters of the process have under way together, and the memory that they keep for reads which
// share.
type Limiter struct{ requests, kept *semaphore.Weighted }

// NewLimiter returns a Limiter of maxInFlight requests; zero or less means DefaultMaxInFlight.
func NewLimiter(maxInFlight int) *Limiter {
	if maxInFlight <= 0 {
		maxInFlight = DefaultMaxInFlight
	}
	return &Limiter{requests: semaphore.NewWeighted(int64(maxInFlight)), kept: semaphore.NewWeighted(sharedBudget)}
}

// inFlight is the number of requests that may be under way; without a Limiter there is no bound.
func (l *Limiter) inFlight() *semaphore.Weighted {
	if l == nil {
		return nil
	}
	return l.requests
}

// memory is the bytes that may be kept; without a Limiter every cluster has its own.
func (l *Limiter) memory() *semaphore.Weighted {
	if l == nil {
		return semaphore.NewWeighted(sharedBudget)
	}
	return l.kept
}
