//go:build unix

package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// waitTimeout is the timeout for go test, which also counts the time in which a package waits for clusters.
	waitTimeout = 12 * time.Hour
	// programTimeout is the timeout of a test program with -short, counted from its start, so that the run shows where a test hangs. longTimeout is the same
	// without -short: the whole contract of a hub engine takes more than an hour on two busy cores. The jobs in .github/workflows/test.yml have longer
	// timeouts.
	programTimeout = 40 * time.Minute
	longTimeout    = 2 * time.Hour
	// killDelay is the time between the timeout of a test program and the signal SIGQUIT, the same as go test's.
	killDelay = time.Minute
)

// Exec starts a test program for go test, which calls it through the flag -exec, and returns the program's exit status. Within a run it first waits for a
// lease. It replaces the timeout [waitTimeout] by [programTimeout] or [longTimeout].
func Exec(args []string) (status int, err error) {
	if len(args) == 0 {
		return 1, errors.New("exec: no program")
	}
	args, limit := limitTime(args)
	address := os.Getenv(socketVariable)
	if address == "" {
		status, _, err := start(args, nil, limit)
		return status, err
	}
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	defer signal.Stop(quit)
	dir, err := os.Getwd() // go test starts a test program in its package's folder
	if err != nil {
		return 1, err
	}
	conn, err := net.Dial("unix", address)
	if err != nil {
		return 1, fmt.Errorf("exec: the test run has ended: %w", err)
	}
	defer func() { _ = conn.Close() }()
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	var granted lease
	answered := make(chan error, 1)
	go func() { answered <- errors.Join(out.Encode(request{Dir: dir}), in.Decode(&granted)) }()
	select {
	case err := <-answered:
		if err != nil {
			return 1, fmt.Errorf("exec: the test run has ended: %w", err)
		}
	case <-quit: // from go test, if the user's timeout has expired
		return 1, errors.New("exec: the timeout expired while the package waited for clusters")
	}
	if granted.Err != "" {
		return 1, errors.New(granted.Err)
	}
	var ended atomic.Bool
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		// The run sends nothing else: the end of the connection is the end of the run.
		if _, err := conn.Read(make([]byte, 1)); err != nil && !ended.Load() {
			_ = syscall.Kill(0, syscall.SIGKILL)
		}
	}()
	begin := time.Now()
	status, cpu, err := start(slices.Insert(args, 1, granted.Args...), granted.Env, limit)
	ended.Store(true)
	_ = out.Encode(usage{Wall: time.Since(begin), CPU: cpu})
	<-recorded // the run closes the connection
	return status, err
}

// limitTime replaces the timeout that a run sets for go test, and returns the limit for [start]. If limit is zero, go test itself limits the time.
func limitTime(args []string) (out []string, limit time.Duration) {
	out = slices.Clone(args)
	at := slices.Index(out, fmt.Sprintf("-test.timeout=%s", waitTimeout))
	if at < 0 {
		return out, 0
	}
	limit = longTimeout
	if slices.Contains(out, "-test.short=true") {
		limit = programTimeout
	}
	out[at] = fmt.Sprintf("-test.timeout=%s", limit)
	return out, limit + killDelay
}

// start runs the program. After limit it sends SIGQUIT, and kills the program if it has not ended interruptTimeout later. A limit of zero means no limit. start
// returns the exit status, and the CPU time of the program and its children.
func start(args, env []string, limit time.Duration) (status int, cpu time.Duration, err error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), env...)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	defer func() {
		signal.Stop(signals)
		close(signals)
	}()
	if err := cmd.Start(); err != nil {
		return 1, 0, err
	}
	if limit > 0 {
		defer time.AfterFunc(limit, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) }).Stop()
		defer time.AfterFunc(limit+interruptTimeout, func() { _ = cmd.Process.Kill() }).Stop()
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // go test sends SIGQUIT to a test that takes too long
		}
	}()
	err = cmd.Wait()
	if cmd.ProcessState != nil {
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		if code := exit.ExitCode(); code > 0 {
			return code, cpu, nil
		}
		return 1, cpu, err
	}
	return 0, cpu, err
}
