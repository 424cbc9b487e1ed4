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
	"sync/atomic"
	"syscall"
	"time"
)

// Exec starts a test program for go test, which calls it by the flag -exec, and returns the program's exit status. Within a run it waits for
// a lease first.
func Exec(args []string) (status int, err error) {
	if len(args) == 0 {
		return 1, errors.New("exec: no program")
	}
	address := os.Getenv(socketVariable)
	if address == "" {
		status, _, err := start(args, nil)
		return status, err
	}
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
	if err := errors.Join(out.Encode(request{Dir: dir}), in.Decode(&granted)); err != nil {
		return 1, fmt.Errorf("exec: the test run has ended: %w", err)
	}
	if granted.Err != "" {
		return 1, errors.New(granted.Err)
	}
	var ended atomic.Bool
	go func() {
		// The run sends nothing more: the end of the connection is the end of the run.
		if _, err := conn.Read(make([]byte, 1)); err != nil && !ended.Load() {
			_ = syscall.Kill(0, syscall.SIGKILL)
		}
	}()
	begin := time.Now()
	status, cpu, err := start(append(args, granted.Args...), granted.Env)
	ended.Store(true)
	_ = out.Encode(usage{Wall: time.Since(begin), CPU: cpu})
	return status, err
}

// start runs the program. It returns the exit status, and the processor time of the program and of its children.
func start(args, env []string) (status int, cpu time.Duration, err error) {
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
