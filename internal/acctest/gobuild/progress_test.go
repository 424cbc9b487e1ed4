package gobuild

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestReporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		report := newReporter("tool", &out, time.Now())
		stop := report.every(10 * time.Second)
		defer stop()

		report.phase("looking", 0)
		report.line("go: downloading example.org/a v1.0.0")
		time.Sleep(11 * time.Second)
		report.phase("compiling", 4)
		report.line("example.org/a")
		report.line("example.org/a/b")
		time.Sleep(10 * time.Second)
		report.line("example.org/c")
		time.Sleep(10 * time.Second)
		stop()

		want := strings.Join([]string{
			"tool: 10s elapsed, looking, 1 modules downloaded",
			"tool: 20s elapsed, compiling (2 of 4 packages)",
			"tool: 30s elapsed, linking",
			"",
		}, "\n")
		if out.String() != want {
			t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
		}
	})
}

func TestReporterKeepsMessages(t *testing.T) {
	report := newReporter("tool", &bytes.Buffer{}, time.Now())
	writer := &lineWriter{line: report.line}
	for _, part := range []string{"# example.org/a\nmain.go:3:", "5: undefined: x\nexample.org/", "b\nlast words"} {
		if _, err := writer.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	writer.flush()
	if got, want := report.messages(), "# example.org/a\nmain.go:3:5: undefined: x\nlast words"; got != want {
		t.Errorf("messages %q, want %q", got, want)
	}
	if report.compiled != 1 {
		t.Errorf("%d packages counted", report.compiled)
	}
}
