package enginetest

import (
	"context"
	"errors"
	"testing"
)

// An expired context, and every context derived from it, ends as if its deadline had passed.
func TestExpiring(t *testing.T) {
	t.Parallel()
	ctx, expire := Expiring(t.Context())
	derived, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := errors.Join(ctx.Err(), derived.Err()); err != nil {
		t.Error(err)
	}
	expire()
	<-derived.Done()
	for _, err := range []error{ctx.Err(), derived.Err(), context.Cause(derived)} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
}

// The context ends with its parent, for the parent's reason.
func TestExpiringParent(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancel(t.Context())
	ctx, expire := Expiring(parent)
	defer expire()
	cancel()
	<-ctx.Done()
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
