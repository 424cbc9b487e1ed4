package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Spec describes a process to start.
type Spec struct {
	// Name is the component's name, the first argument of the binary.
	Name string
	Args []string
	// Env is added to the supervisor's environment.
	Env []string
	// Log is the file that the output is appended to.
	Log string
}

// Spawner starts children. It starts all of them from one operating system thread that lives as long as the supervisor: Linux sends the parent death signal
// when the starting thread ends, not when the process ends, and the Go runtime may end threads at any time.
type Spawner struct {
	binary string
	jobs   chan func()
}

// NewSpawner returns a spawner of the running binary.
func NewSpawner() (*Spawner, error) {
	binary, err := Self()
	if err != nil {
		return nil, err
	}
	s := &Spawner{binary: binary, jobs: make(chan func())}
	go func() {
		runtime.LockOSThread()
		for job := range s.jobs {
			job()
		}
	}()
	return s, nil
}

// Self returns the path of the running binary. On Linux, the path stays valid if the file is replaced or removed from the build cache.
func Self() (string, error) {
	const link = "/proc/self/exe"
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(link); err == nil {
			return link, nil
		}
	}
	return os.Executable()
}

// Start starts a child that dies with the supervisor.
func (s *Spawner) Start(spec Spec) (*Child, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()

	cmd := exec.Command(s.binary, append([]string{spec.Name}, spec.Args...)...)
	cmd.Env = append(append(os.Environ(), spec.Env...), lifelineVariable+"=1")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = attributes()
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}

	started := make(chan error, 1)
	s.jobs <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		_ = lifeline.Close()
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	child := &Child{
		Name: spec.Name,
		Ref:  RefOf(cmd.Process.Pid),
		log:  spec.Log, process: cmd.Process, lifeline: lifeline, done: make(chan struct{}),
	}
	go func() {
		child.err = cmd.Wait()
		close(child.done)
	}()
	return child, nil
}

// Child is a running or ended child process.
type Child struct {
	Name string
	Ref  Ref

	log     string
	process *os.Process
	// lifeline is kept open and never written to: the child watches for its end.
	lifeline io.Closer
	done     chan struct{}
	err      error
}

// Done returns a channel that is closed when the child has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Running reports whether the child has not ended yet.
func (c *Child) Running() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// Kill kills the child and waits until it has ended. It does not wait for a graceful end, which takes an API server seconds and which a test cluster does not
// need.
func (c *Child) Kill() {
	if err := c.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		_ = c.lifeline.Close()
	}
	<-c.done
}

// Failure describes an unexpected end, with the last lines of the log.
func (c *Child) Failure() error {
	reason := "exited with status 0"
	if c.err != nil {
		reason = c.err.Error()
	}
	return fmt.Errorf("%s ended by itself (%s); the end of its log:\n%s", c.Name, reason, Tail(c.log))
}

// Tail returns the last lines of a log file.
func Tail(path string) string {
	const lines, size = 15, 16 << 10
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	if len(data) > size {
		data = data[len(data)-size:]
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return strings.Join(all, "\n")
}
