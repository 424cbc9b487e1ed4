package gobuild

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

const (
	waitDelay     = 10 * time.Second
	progressEvery = 10 * time.Second
	// keptMessages bounds the number of compiler messages in an error.
	keptMessages = 40
)

// Flags are the flags of go build that affect compilation. The builds of the provider and of the tests without the race detector use the same flags, so that
// packages that they share with the nested modules are compiled only once.
//   - Version control stamps would make equal content differ by commit.
//   - These programs are never debugged. Omitting debugging information saves a tenth of the compile time.
var Flags = []string{"-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}

// compile runs go build for a target, writes the program to the path, and reports progress.
func compile(ctx context.Context, target Target, program string, progress io.Writer) error {
	started := time.Now()
	report := newReporter(target.Name, progress, started)
	report.say("building from Go modules; this happens once and takes minutes when nothing is cached")
	stop := report.every(progressEvery)
	defer stop()

	report.phase("listing the packages to compile", 0)
	total, err := countStale(ctx, target, report)
	if err != nil {
		return err
	}
	report.phase("compiling", total)
	args := append([]string{"build", "-v"}, Flags...)
	if target.LDFlags != "" {
		args = append(args, "-ldflags", target.LDFlags)
	}
	if _, err := run(ctx, target, report, append(args, "-o", program, target.Package)...); err != nil {
		return err
	}
	stop()
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	report.say(fmt.Sprintf("built in %s, %d MB", time.Since(started).Round(time.Second), info.Size()>>20))
	return nil
}

// countStale returns the number of packages missing in the build cache. It also downloads the required modules.
func countStale(ctx context.Context, target Target, report *reporter) (int, error) {
	args := append([]string{"list", "-deps", "-f", "{{if .Stale}}stale{{end}}"}, Flags...)
	out, err := run(ctx, target, report, append(args, target.Package)...)
	return strings.Count(out, "stale"), err
}

// run runs a go command and passes its messages to the report line by line.
func run(ctx context.Context, target Target, report *reporter, args ...string) (string, error) {
	cmd := target.goCommand(ctx, args...)
	var stdout strings.Builder
	cmd.Stdout = &stdout
	lines := &lineWriter{line: report.line}
	cmd.Stderr = lines
	err := cmd.Run()
	lines.flush()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("go %s %s: %w\n%s", args[0], target.Package, err, report.messages())
	}
	return stdout.String(), nil
}

// lineWriter passes on its input line by line.
type lineWriter struct {
	line    func(string)
	partial strings.Builder
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.partial.Write(p)
	text := w.partial.String()
	end := strings.LastIndexByte(text, '\n')
	if end < 0 {
		return len(p), nil
	}
	w.partial.Reset()
	w.partial.WriteString(text[end+1:])
	lines := bufio.NewScanner(strings.NewReader(text[:end]))
	for lines.Scan() {
		w.line(lines.Text())
	}
	return len(p), nil
}

func (w *lineWriter) flush() {
	if w.partial.Len() > 0 {
		w.line(w.partial.String())
		w.partial.Reset()
	}
}
