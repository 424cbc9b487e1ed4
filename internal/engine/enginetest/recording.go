package enginetest

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// recording is a [testing.TB] on which a failure does not fail the test. Everything else is that of the test.
type recording struct {
	testing.TB
	ctx context.Context

	mu              sync.Mutex
	failed, skipped bool
	cleanups        []func()
}

// record runs a part of a test, with its cleanups, and returns what became of it. The output is logged.
func record(tb testing.TB, run func(testing.TB)) *recording {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	r := &recording{TB: tb, ctx: ctx}
	r.do(func() { run(r) })
	cancel() // as the context of a test ends before its cleanups run
	for cleanup := r.nextCleanup(); cleanup != nil; cleanup = r.nextCleanup() {
		r.do(cleanup)
	}
	return r
}

// do runs something that FailNow may end.
func (r *recording) do(work func()) {
	var done sync.WaitGroup
	done.Go(work)
	done.Wait()
}

// nextCleanup returns the last cleanup that has not run, nil if all have.
func (r *recording) nextCleanup() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.cleanups) == 0 {
		return nil
	}
	last := len(r.cleanups) - 1
	cleanup := r.cleanups[last]
	r.cleanups = slices.Delete(r.cleanups, last, last+1)
	return cleanup
}

func (r *recording) Context() context.Context { return r.ctx }

func (r *recording) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

func (r *recording) Fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

func (r *recording) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recording) FailNow() {
	r.Fail()
	runtime.Goexit()
}

func (r *recording) Error(args ...any) {
	r.Helper()
	r.Log(args...)
	r.Fail()
}

func (r *recording) Errorf(format string, args ...any) {
	r.Helper()
	r.Logf(format, args...)
	r.Fail()
}

func (r *recording) Fatal(args ...any) {
	r.Helper()
	r.Log(args...)
	r.FailNow()
}

func (r *recording) Fatalf(format string, args ...any) {
	r.Helper()
	r.Logf(format, args...)
	r.FailNow()
}

func (r *recording) Skip(args ...any) {
	r.Helper()
	r.Log(args...)
	r.SkipNow()
}

func (r *recording) Skipf(format string, args ...any) {
	r.Helper()
	r.Logf(format, args...)
	r.SkipNow()
}

func (r *recording) SkipNow() {
	r.mu.Lock()
	r.skipped = true
	r.mu.Unlock()
	runtime.Goexit()
}

func (r *recording) Skipped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.skipped
}
