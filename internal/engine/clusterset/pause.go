package clusterset

import (
	"context"
	"time"
)

// Pause waits for a time; false if the context ends before.
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

// Forget drops what was read of any cluster before: others have written to them, as a control plane does while an engine follows it.
func (s *Set) Forget() {
	for _, cluster := range s.Any() {
		cluster.Forget()
	}
}
