package enginetest

import (
	"slices"
	"strings"
	"testing"
)

// What a part of a test calls on a recording does not reach the test, and ends that part where it would end the test.
func TestRecording(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run             func(testing.TB)
		failed, skipped bool
	}{
		"pass":             {run: func(tb testing.TB) { tb.Log("fine") }},
		"fail":             {run: func(tb testing.TB) { tb.Fail() }, failed: true},
		"error":            {run: func(tb testing.TB) { tb.Error("wrong") }, failed: true},
		"errorf":           {run: func(tb testing.TB) { tb.Errorf("%s", "wrong") }, failed: true},
		"fail now":         {run: func(tb testing.TB) { tb.FailNow(); t.Error("it goes on") }, failed: true},
		"fatal":            {run: func(tb testing.TB) { tb.Fatal("wrong"); t.Error("it goes on") }, failed: true},
		"fatalf":           {run: func(tb testing.TB) { tb.Fatalf("%s", "wrong"); t.Error("it goes on") }, failed: true},
		"skip":             {run: func(tb testing.TB) { tb.Skip("later"); t.Error("it goes on") }, skipped: true},
		"skipf":            {run: func(tb testing.TB) { tb.Skipf("%s", "later"); t.Error("it goes on") }, skipped: true},
		"error in cleanup": {run: func(tb testing.TB) { tb.Cleanup(func() { tb.Error("wrong") }) }, failed: true},
		"fatal in cleanup": {run: func(tb testing.TB) { tb.Cleanup(func() { tb.Fatal("wrong") }) }, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := record(t, test.run)
			if r.Failed() != test.failed || r.Skipped() != test.skipped {
				t.Errorf("failed: %v, skipped: %v", r.Failed(), r.Skipped())
			}
		})
	}
}

// Cleanups run with the part of the test that asked for them, the last first, also after a failure, and after its context has ended.
func TestRecordingCleansUp(t *testing.T) {
	t.Parallel()
	var order []string
	record(t, func(tb testing.TB) {
		tb.Cleanup(func() { order = append(order, "first") })
		tb.Cleanup(func() {
			if tb.Context().Err() == nil {
				t.Error("the context has not ended")
			}
			tb.Cleanup(func() { order = append(order, "nested") })
			tb.Fatal("wrong")
		})
		if err := tb.Context().Err(); err != nil {
			t.Error(err)
		}
		tb.FailNow()
	})
	if want := []string{"nested", "first"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// The list of failures is wrong in either direction: a case that is not listed may not fail, one that is listed may not pass.
func TestListedFailures(t *testing.T) {
	t.Parallel()
	failures := Failures{"listed": {Why: "it differs"}, "sometimes": {Why: "it differs at times", Sometimes: true}}
	passes, fails := func(testing.TB) {}, func(tb testing.TB) { tb.Fatal("wrong") }
	for name, test := range map[string]struct {
		name string
		run  func(testing.TB)
		want bool
	}{
		"not listed, passes":       {"other", passes, false},
		"not listed, fails":        {"other", fails, true},
		"listed, passes":           {"listed", passes, true},
		"listed, fails":            {"listed", fails, false},
		"listed, fails at the end": {"listed", func(tb testing.TB) { tb.Cleanup(func() { tb.Error("wrong") }) }, false},
		"sometimes, passes":        {"sometimes", passes, false},
		"sometimes, fails":         {"sometimes", fails, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := record(t, func(tb testing.TB) { failures.run(tb, test.name, test.run) }).Failed(); got != test.want {
				t.Errorf("the test fails: %v, want %v", got, test.want)
			}
		})
	}
	skipped := record(t, func(tb testing.TB) { failures.run(tb, "listed", func(tb testing.TB) { tb.Skip("later") }) })
	if !skipped.Skipped() || skipped.Failed() {
		t.Error("a listed case that is skipped does not skip the test")
	}
}

// A list names cases that are run, and says what differs.
func TestListOfFailures(t *testing.T) {
	t.Parallel()
	exists := func(name string) bool { return name == "there" }
	for want, failures := range map[string]Failures{
		"":             {"there": {Why: "it differs"}},
		"no such case": {"gone": {Why: "it differs"}},
		"what differs": {"there": {}},
	} {
		problems := failures.problems(exists)
		if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.Contains(problems[0], want)) {
			t.Errorf("%v: %q, want %q", failures, problems, want)
		}
	}
}
