package clusterset

import (
	"context"
	"time"
)

// Pause waits for a duration. It returns false if the context ends first.
func Pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// DropCaches drops the cached responses of all clusters. It is for use after other programs, such as the controllers of a hub that an engine follows, have
// written to the clusters.
func (s *Set) DropCaches() {
	for _, cluster := range s.Any() {
		cluster.DropCache()
	}
}
