//go:build unix

package suite

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestSummary checks that the table and the last line count the same tests, and that failures come last.
func TestSummary(t *testing.T) {
	var out strings.Builder
	results := newResults(&out, "example.org/m")
	for _, line := range []string{
		`{"Action":"pass","Package":"example.org/m/internal/ran","Test":"TestA/first"}`,
		`{"Action":"pass","Package":"example.org/m/internal/ran","Test":"TestA/second"}`,
		`{"Action":"pass","Package":"example.org/m/internal/ran","Test":"TestA"}`,
		`{"Action":"skip","Package":"example.org/m/internal/ran","Test":"TestB"}`,
		`{"Action":"output","Package":"example.org/m/internal/ran","Output":"ok  \texample.org/m/internal/ran\t2.1s\n"}`,
		`{"Action":"pass","Package":"example.org/m/internal/ran","Elapsed":2.1}`,
		`{"Action":"fail","Package":"example.org/m/internal/failed","Test":"TestC/first"}`,
		`{"Action":"fail","Package":"example.org/m/internal/failed","Test":"TestC"}`,
		`{"Action":"fail","Package":"example.org/m/internal/failed"}`,
		`{"Action":"run","Package":"example.org/m/internal/killed","Test":"TestD"}`,
		`{"Action":"fail","Package":"example.org/m/internal/killed"}`,
		`{"Action":"fail","Package":"example.org/m/internal/broken","FailedBuild":"example.org/m/internal/broken"}`,
		`{"Action":"output","Package":"example.org/m/internal/untested","Output":"?   \texample.org/m/internal/untested\t[no test files]\n"}`,
		`{"Action":"skip","Package":"example.org/m/internal/untested"}`,
	} {
		results.line([]byte(line + "\n"))
	}
	took := map[string]usage{"ran": {Wall: 2 * time.Second, CPU: time.Second}}
	results.summarize(func(path string) usage { return took[path] }, usage{Wall: 3 * time.Second, CPU: 4 * time.Second}, 10)
	for _, want := range []string{
		`(?m)^ +2\.0s +1\.0s +2 +ran$`, `(?m)^ +3\.0s +4\.0s +3 +total$`,
		`(?s)\n1 passed, 1 failed, 1 skipped\nfailed: broken \(did not run\)\nfailed: failed TestC\nfailed: killed\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("nothing matches %s:\n%s", want, out.String())
		}
	}
}

// TestNoTestRan checks that a narrowed run in which no test starts fails, and says which flags matched none.
func TestNoTestRan(t *testing.T) {
	narrowed := Options{Patterns: []string{"./internal/kube"}, Flags: []string{"-run", "TestNope"}}
	results := newResults(&strings.Builder{}, "example.org/m")
	results.line([]byte(`{"Action":"pass","Package":"example.org/m/internal/kube"}` + "\n"))
	if err := results.checkRan(Options{}); err != nil {
		t.Errorf("a run of everything: %v", err)
	}
	for want, options := range map[string]Options{
		"no test ran: no test in ./internal/kube matches the flags -run TestNope": narrowed,
		"no test ran: no test in the repository matches the flags -run TestNope":  {Flags: narrowed.Flags},
		"no test ran: no test is in ./internal/kube":                              {Patterns: narrowed.Patterns},
	} {
		if err := results.checkRan(options); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	results.line([]byte(`{"Action":"run","Package":"example.org/m/internal/kube","Test":"BenchmarkA"}` + "\n"))
	if err := results.checkRan(narrowed); err != nil {
		t.Errorf("after a benchmark: %v", err)
	}
}
