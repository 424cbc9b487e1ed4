package transport

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

func TestOneLateAnswerIsEnoughAtFirst(t *testing.T) {
	health := newHealth()
	health.report(struck, io.EOF)
	if health.down() != nil {
		t.Error("a broken connection is not enough")
	}
	health.report(struck, &TimeoutError{After: time.Second})
	if health.down() == nil {
		t.Error("never answered, and late: down")
	}
	health.report(answered, nil)
	health.report(struck, &TimeoutError{After: time.Second})
	if health.down() != nil {
		t.Error("it has answered before")
	}
}

func TestWhatWasDownIsTriedAgainLater(t *testing.T) {
	health, now := newHealth(), time.Now()
	health.now = func() time.Time { return now }
	health.report(unreached, io.EOF)
	now = now.Add(time.Second)
	var down *DownError
	if err := health.down(); !errors.As(err, &down) || !errors.Is(down.Cause, io.EOF) || errors.Is(err, io.EOF) {
		t.Fatalf("error %v", err)
	}
	if _, err := health.enter(t.Context()); !errors.As(err, &down) {
		t.Fatalf("error %v", err)
	}
	now = now.Add(downFor - time.Second)
	if _, err := health.enter(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestHealthLetsOneGoAhead(t *testing.T) {
	health, ctx := newHealth(), t.Context()
	report, err := health.enter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := health.enter(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second request went ahead: %v", err)
	}
	report(noEvidence, nil)
	report, err = health.enter(ctx)
	if err != nil {
		t.Fatal("nobody may go ahead after a caller gave up:", err)
	}
	report(answered, nil)
	for range 5 {
		if _, err := health.enter(ctx); err != nil {
			t.Error(err)
		}
	}
	for range maxStrikes - 1 {
		health.report(struck, io.EOF)
	}
	health.report(answered, nil)
	health.report(struck, io.EOF)
	if err := health.down(); err != nil {
		t.Error("an answer in between starts the count anew:", err)
	}
	for range maxStrikes {
		health.report(struck, io.EOF)
	}
	if err := health.down(); err == nil {
		t.Error("still up after", maxStrikes, "failures in a row")
	}
}
