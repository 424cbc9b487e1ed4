package gobuild

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	unlock, err := lock(t.Context(), path, func() { t.Error("waited for a free lock") })
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := lock(ctx, path, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) || waited != 1 {
		t.Errorf("second lock: %v, waiting called %d times", err, waited)
	}

	unlock()
	again, err := lock(t.Context(), path, func() {})
	if err != nil {
		t.Fatal(err)
	}
	again()
}
