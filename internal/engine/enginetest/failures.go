package enginetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Failures are by the names of cases.
type Failures map[string]Failure

// Failure is a case that an engine fails.
type Failure struct {
	// Why says in a few words what differs.
	Why string
	// Sometimes says that the case passes at times, and then is not an error.
	Sometimes bool
}

// problems are what is wrong with the list itself. exists reports whether a case of a name is run.
func (f Failures) problems(exists func(name string) bool) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !exists(name) {
			out = append(out, fmt.Sprintf("%q is listed as a case that fails, and no such case is run", name))
		}
		if f[name].Why == "" {
			out = append(out, fmt.Sprintf("%q is listed as a case that fails, and the list does not say what differs", name))
		}
	}
	return out
}

// run runs a case. One that is listed does not fail the test when it fails, and fails the test when it passes.
func (f Failures) run(tb testing.TB, name string, run func(testing.TB)) {
	tb.Helper()
	failure, listed := f[name]
	if !listed {
		run(tb)
		return
	}
	r := record(tb, run)
	switch {
	case r.Skipped():
		tb.SkipNow()
	case r.Failed():
		tb.Logf("it fails as listed: %s", failure.Why)
	case !failure.Sometimes:
		tb.Errorf("the case passes: remove it from the list of failures, where it says %q", failure.Why)
	}
}
