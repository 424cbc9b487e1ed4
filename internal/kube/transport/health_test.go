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
	health.report(connectionBroken, io.EOF)
	if health.checkDown() != nil {
		t.Error("one broken connection made the cluster unreachable")
	}
	health.report(connectionBroken, &TimeoutError{After: time.Second})
	if health.checkDown() == nil {
		t.Error("a timeout before any answer did not make the cluster unreachable")
	}
	health.report(answerReceived, nil)
	health.report(connectionBroken, &TimeoutError{After: time.Second})
	if health.checkDown() != nil {
		t.Error("one timeout after an answer made the cluster unreachable")
	}
}

func TestWhatWasDownIsTriedAgainLater(t *testing.T) {
	health, now := newHealth(), time.Now()
	health.now = func() time.Time { return now }
	health.report(unreachable, io.EOF)
	now = now.Add(time.Second)
	var down *DownError
	if err := health.checkDown(); !errors.As(err, &down) || !errors.Is(down.Cause, io.EOF) || errors.Is(err, io.EOF) {
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
	report(unknownOutcome, nil)
	report, err = health.enter(ctx)
	if err != nil {
		t.Fatal("no request may be sent after a caller was cancelled:", err)
	}
	report(answerReceived, nil)
	for range 5 {
		if _, err := health.enter(ctx); err != nil {
			t.Error(err)
		}
	}
	for range maxFailures - 1 {
		health.report(connectionBroken, io.EOF)
	}
	health.report(answerReceived, nil)
	health.report(connectionBroken, io.EOF)
	if err := health.checkDown(); err != nil {
		t.Error("an answer did not reset the count:", err)
	}
	for range maxFailures {
		health.report(connectionBroken, io.EOF)
	}
	if err := health.checkDown(); err == nil {
		t.Error("still up after", maxFailures, "failures in a row")
	}
}
