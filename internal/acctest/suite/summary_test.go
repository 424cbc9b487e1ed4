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
