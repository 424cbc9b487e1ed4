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
	// keptMessages bounds what an error quotes of the compiler's output.
	keptMessages = 40
)

// Flags are those of go build that decide what is compiled. Whatever else compiles packages of the nested modules gives them, too, so that nothing
// is compiled twice.
//   - Version control stamps would make equal content differ by commit.
//   - Nobody debugs these programs. Leaving debugging information out saves a tenth of the compile time.
var Flags = []string{"-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}

// compile runs go build for a target, with the program's path, and reports.
func compile(ctx context.Context, target Target, program string, progress io.Writer) error {
	started := time.Now()
	report := newReporter(target.Name, progress, started)
	report.say("building from Go modules; this happens once and takes minutes when nothing is cached")
	stop := report.every(progressEvery)
	defer stop()

	report.phase("looking for what to compile", 0)
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

// countStale returns how many packages the build cache lacks, which also
// downloads the modules that are needed.
func countStale(ctx context.Context, target Target, report *reporter) (int, error) {
	args := append([]string{"list", "-deps", "-f", "{{if .Stale}}stale{{end}}"}, Flags...)
	out, err := run(ctx, target, report, append(args, target.Package)...)
	return strings.Count(out, "stale"), err
}

// run runs a go command, feeding its messages to the report line by line.
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

// lineWriter hands on what is written to it by lines.
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
