//go:build unix

package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "exec" { // as the wrapper of a test program
		status, err := Exec(os.Args[2:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// module writes a module with one package, whose only test has the given body, and returns its folder.
func module(t *testing.T, body string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                   "module example.org/m\n\ngo 1.26.0\n",
		"internal/one/one_test.go": "package one\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n\t\"strconv\"\n\t\"testing\"\n\t\"time\"\n)\n\nvar _, _, _, _ = os.Getenv, exec.Command, strconv.Itoa, time.Until\n\nfunc TestOne(t *testing.T) {\n" + body + "\n}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serveFor serves leases until the test ends or the broker is closed.
func serveFor(t *testing.T, root string, p *pool) *broker {
	t.Helper()
	b, err := serve(t.Context(), root, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// begin serves leases for a module, and returns the environment and arguments for go test. The flags are those of the tests without the race detector, for
// which the standard library is already compiled.
func begin(t *testing.T, dir string) (b *broker, environment, args []string) {
	t.Helper()
	p, _ := poolOf(t, nil)
	b = serveFor(t, dir, p)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "with a space")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	wrapper, err := quote([]string{program, "exec"})
	if err != nil {
		t.Fatal(err)
	}
	env, flags := withoutRace()
	return b, slices.Concat(os.Environ(), env, []string{socketVariable + "=" + b.socket()}),
		slices.Concat([]string{"-count=1", "-vet=off", "-timeout=" + waitTimeout.String(), "-exec", wrapper}, flags, []string{"./..."})
}

func TestResultsAndUsage(t *testing.T) {
	for name, test := range map[string]struct {
		body, shows string
		passes      bool
		// failed is the list of failures at the end of the summary.
		failed string
	}{
		"passes":           {`t.Log("hidden")`, "ok  \texample.org/m/internal/one", true, ""},
		"fails":            {`t.Error("wrong")`, "wrong", false, "failed: one TestOne\n"},
		"panics":           {`panic("fell over")`, "fell over", false, "failed: one TestOne\n"},
		"exits":            {`println("left"); os.Exit(3)`, "left", false, "failed: one\n"},
		"does not compile": {`undefined()`, "undefined: undefined", false, "failed: one (did not run)\n"},
		"has the timeout": {
			`if left, _ := t.Deadline(); time.Until(left) > 2*time.Hour { t.Error(os.Args) }; t.Log("hidden")`, "ok  \texample.org/m/internal/one", true, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, test.body)
			b, env, args := begin(t, dir)
			var out strings.Builder
			results := newResults(&out, "example.org/m")
			err := goTest(t.Context(), dir, env, args, results, t.Output())
			if closeErr := b.close(); closeErr != nil {
				t.Error(closeErr)
			}
			if (err == nil) != test.passes || !strings.Contains(out.String(), test.shows) || strings.Contains(out.String(), "hidden") {
				t.Errorf("error %v, printed:\n%s", err, out.String())
			}
			if took := b.usageOf("one"); (took.Wall > 0) != (name != "does not compile") {
				t.Errorf("usage %+v", took)
			}
			results.summarize(b.usageOf, usage{Wall: time.Second}, 10)
			if test.passes && !strings.Contains(out.String(), "1 passed, 0 failed, 0 skipped") {
				t.Errorf("the summary is missing:\n%s", out.String())
			}
			if !strings.HasSuffix(out.String(), " skipped\n"+test.failed) {
				t.Errorf("the summary does not end with %q:\n%s", test.failed, out.String())
			}
			if strings.Count(out.String(), "[build failed]") > 1 {
				t.Errorf("a failed build is reported twice:\n%s", out.String())
			}
		})
	}
}

// sleeping returns a test body that starts a process which outlives the test by far, and writes its ID to a file.
func sleeping(file string) string {
	return fmt.Sprintf("child := exec.Command(\"sleep\", \"600\")\nif err := child.Start(); err != nil { t.Fatal(err) }\n"+
		"_ = os.WriteFile(%[1]q+\".new\", []byte(strconv.Itoa(child.Process.Pid)), 0o600)\n_ = os.Rename(%[1]q+\".new\", %[1]q)\n_ = child.Wait()", file)
}

// awaitPID returns the process ID in a file, once it is written.
func awaitPID(t *testing.T, file string) int {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil {
			pid, err := strconv.Atoi(string(text))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("the test did not start")
	return 0
}

// awaitEnd checks that a process ends.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || (err == nil && strings.Contains(string(status), "State:\tZ")) {
			return
		}
	}
	t.Errorf("process %d still runs", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func TestInterruptedRunLeavesNoProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	dir := module(t, sleeping(file))
	b, env, args := begin(t, dir)
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- goTest(ctx, dir, env, args, newResults(io.Discard, "example.org/m"), t.Output()) }()
	pid := awaitPID(t, file)
	interrupt()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the run ended with %v", err)
	}
	if err := b.close(); err != nil {
		t.Error(err)
	}
	awaitEnd(t, pid)
}

// A killed run cannot end any process: the wrapper of each test program ends the program when the connection to the run breaks.
func TestKilledRunLeavesNoProcess(t *testing.T) {
	b, env, _ := begin(t, t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pid")
	wrapper := exec.CommandContext(t.Context(), self, "exec", "sh", "-c", `echo -n $$ >"$0.new" && mv "$0.new" "$0" && exec sleep 600`, file)
	wrapper.Env = env
	wrapper.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := wrapper.Start(); err != nil {
		t.Fatal(err)
	}
	pid := awaitPID(t, file)
	if err := b.close(); err != nil {
		t.Error(err)
	}
	awaitEnd(t, pid)
	if err := wrapper.Wait(); err == nil {
		t.Error("the wrapper returned success")
	}
}

func TestExecOutsideARun(t *testing.T) {
	t.Setenv(socketVariable, "")
	if status, err := Exec([]string{"sh", "-c", "exit 3"}); status != 3 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	if status, err := Exec(nil); status == 0 || err == nil {
		t.Errorf("without a program: status %d, %v", status, err)
	}
	t.Setenv(socketVariable, filepath.Join(t.TempDir(), "socket"))
	if status, err := Exec([]string{"true"}); status == 0 || err == nil {
		t.Errorf("after the run: status %d, %v", status, err)
	}
}

// If a set does not start, its package fails with the reason.
func TestExecWithoutClusters(t *testing.T) {
	t.Setenv(clusters.KubeconfigVariable, "")
	p, _ := poolOf(t, errors.New("no ports left"))
	root := t.TempDir()
	b := serveFor(t, root, p)
	dir := filepath.Join(root, "internal", "kube")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv(socketVariable, b.socket())
	if status, err := Exec([]string{"true"}); status == 0 || err == nil || !strings.Contains(err.Error(), "no ports left") {
		t.Errorf("status %d, %v", status, err)
	}
}

// TestWrapperArguments checks the arguments of a program: those of the lease precede the user's, which override them. Only the timeout that a run sets for go
// test is replaced.
func TestWrapperArguments(t *testing.T) {
	t.Setenv(clusters.KubeconfigVariable, filepath.Join(t.TempDir(), "given"))
	p, _ := poolOf(t, nil)
	root := t.TempDir()
	b := serveFor(t, root, p)
	dir := filepath.Join(root, "internal", "kube")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv(socketVariable, b.socket())
	program := filepath.Join(root, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$*\" >arguments\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"-test.timeout=12h0m0s -test.parallel=2 -a": "-test.parallel=8 -test.timeout=2h0m0s -test.parallel=2 -a\n",
		"-test.timeout=12h0m0s -test.short=true -a": "-test.parallel=8 -test.timeout=40m0s -test.short=true -a\n",
		"-test.timeout=5m0s a":                      "-test.parallel=8 -test.timeout=5m0s a\n",
	} {
		if status, err := Exec(append([]string{program}, strings.Fields(given)...)); status != 0 || err != nil {
			t.Fatalf("status %d, %v", status, err)
		}
		if got, err := os.ReadFile("arguments"); err != nil || string(got) != want {
			t.Errorf("%s: got %q, want %q, %v", given, got, want, err)
		}
		if took := b.usageOf("kube"); took.Wall == 0 {
			t.Error("the run has not recorded the usage when the wrapper ends")
		}
	}
}

// TestProgramAfterTimeout checks that the wrapper ends a program that ignores its own timeout.
func TestProgramAfterTimeout(t *testing.T) {
	if status, _, err := start([]string{"sleep", "600"}, nil, 50*time.Millisecond); status == 0 || err == nil {
		t.Errorf("status %d, %v", status, err)
	}
}

// TestQuitWhileWaiting checks that a wrapper that waits for clusters says so, without a stack trace, if go test ends it.
func TestQuitWhileWaiting(t *testing.T) {
	p, _ := poolOf(t, nil)
	_, release, err := p.take(t.Context(), kubefleet)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	root := t.TempDir()
	b := serveFor(t, root, p)
	dir := filepath.Join(root, "internal", "engine", "kubefleet")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wrapper := exec.CommandContext(t.Context(), self, "exec", "true")
	wrapper.Dir, wrapper.Env = dir, append(os.Environ(), socketVariable+"="+b.socket())
	var stderr strings.Builder
	wrapper.Stderr = &stderr
	if err := wrapper.Start(); err != nil {
		t.Fatal(err)
	}
	for !hasConns(b) {
		time.Sleep(time.Millisecond)
	}
	if err := wrapper.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	err = wrapper.Wait()
	if want := "exec: the timeout expired while the package waited for clusters\n"; err == nil || stderr.String() != want {
		t.Errorf("%v, printed %q, want %q", err, stderr.String(), want)
	}
}
