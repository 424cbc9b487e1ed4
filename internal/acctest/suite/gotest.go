//go:build unix

package suite

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// interruptTimeout bounds how long go test may take to end after an interrupt, before it is killed with all its programs. It also bounds how long a test
// program may take to end after the SIGQUIT of [start].
const interruptTimeout = 10 * time.Second

// event is a line of the output of go test -json.
type event struct {
	Action, Package, Test, Output string
	// Elapsed is in seconds.
	Elapsed float64
}

// goTest runs go test in a folder and passes its output to results. It returns an error for a failed run.
func goTest(ctx context.Context, dir string, env, args []string, results *results, stderr io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = dir
	cmd.Env = env
	// The group contains all processes that go test starts. An interrupt from the terminal does not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = interruptTimeout
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			results.line(line)
		}
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // remaining processes of the group
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// results collects the output of several runs of go test, and prints that of a package when its tests have ended.
type results struct {
	out io.Writer
	// root is the import path of the repository.
	root string

	mu       sync.Mutex
	packages map[string]*packageResult
	tests    []testResult
	// ended counts top-level tests by their result: pass, fail or skip. A test reports the failures of its subtests.
	ended map[string]int
	// ran reports whether a test, a benchmark or an example has started.
	ran bool
}

// packageResult is the result of one package so far.
type packageResult struct {
	tests int
	// ran reports whether a test has started, failed whether the package has failed.
	ran, failed bool
	// failedTests are the top-level tests that have failed.
	failedTests []string
	// own is output outside of tests. output has the output of each test that still runs or has failed.
	own    strings.Builder
	output map[string]*strings.Builder
}

// testResult is a test that has ended.
type testResult struct {
	name    string
	elapsed time.Duration
}

func newResults(out io.Writer, root string) *results {
	return &results{out: out, root: root, packages: map[string]*packageResult{}, ended: map[string]int{}}
}

// path returns the path of a package below internal.
func (r *results) path(importPath string) string {
	return strings.TrimPrefix(importPath, r.root+"/internal/")
}

func (r *results) line(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		_, _ = r.out.Write(line)
		return
	}
	if e.Action == "build-output" {
		_, _ = io.WriteString(r.out, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &packageResult{output: map[string]*strings.Builder{}}
		r.packages[e.Package] = p
	}
	if e.Test == "" {
		r.packageEvent(p, e)
		return
	}
	r.testEvent(p, e)
}

func (r *results) testEvent(p *packageResult, e event) {
	switch e.Action {
	case "run":
		r.ran, p.ran = true, true
		return
	case "output":
		out := p.output[e.Test]
		if out == nil {
			out = &strings.Builder{}
			p.output[e.Test] = out
		}
		out.WriteString(e.Output)
		return
	case "pass", "skip":
		delete(p.output, e.Test)
	case "fail":
	default:
		return
	}
	if !strings.Contains(e.Test, "/") {
		p.tests++
		if e.Action == "fail" {
			p.failedTests = append(p.failedTests, e.Test)
		}
		r.ended[e.Action]++
		r.tests = append(r.tests, testResult{name: r.path(e.Package) + " " + e.Test, elapsed: seconds(e.Elapsed)})
	}
}

func (r *results) packageEvent(p *packageResult, e event) {
	switch e.Action {
	case "output":
		p.own.WriteString(e.Output)
	case "pass", "skip":
		for line := range strings.Lines(p.own.String()) {
			if strings.HasPrefix(line, "ok ") {
				_, _ = io.WriteString(r.out, line)
			}
		}
	case "fail":
		p.failed = true
		for _, name := range slices.Sorted(maps.Keys(p.output)) { // a test before its subtests
			_, _ = io.WriteString(r.out, p.output[name].String())
		}
		_, _ = io.WriteString(r.out, p.own.String())
	}
}

// checkRan returns an error if no test has started, although the run was narrowed.
func (r *results) checkRan(options Options) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ran || len(options.Patterns)+len(options.Flags) == 0 {
		return nil
	}
	where := "the repository"
	if len(options.Patterns) > 0 {
		where = strings.Join(options.Patterns, " ")
	}
	if len(options.Flags) == 0 {
		return fmt.Errorf("no test ran: no test is in %s", where)
	}
	return fmt.Errorf("no test ran: no test in %s matches the flags %s", where, strings.Join(options.Flags, " "))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// testPackages returns the import paths of the packages that match patterns and have tests.
func testPackages(ctx context.Context, dir string, env, patterns []string) ([]string, error) {
	args := append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = filepath.Clean(dir), env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), err), errors.New(stderr.String()))
	}
	return strings.Fields(string(out)), nil
}
