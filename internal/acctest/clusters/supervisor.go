package clusters

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// stopTimeout bounds how long a supervisor may take to stop its processes. On an idle machine it takes a quarter of a second.
const stopTimeout = 30 * time.Second

// supervisor is the process that runs the clusters. It stops when its standard input ends: on Stop, or when this process dies.
type supervisor struct {
	dir        string
	kubeconfig string
	cmd        *exec.Cmd
	stdin      io.Closer
	exited     chan struct{}

	once    sync.Once
	stopErr error
}

// supervise starts the clusters and returns when they are ready.
func supervise(ctx context.Context, binary string, options Options) (*supervisor, error) {
	// The supervisor claims the empty directory and removes it at its end.
	dir, err := os.MkdirTemp("", "fleet-clusters-")
	if err != nil {
		return nil, err
	}
	s := &supervisor{dir: dir, exited: make(chan struct{})}
	s.cmd = exec.Command(binary, "up", "-foreground",
		"-members", strconv.Itoa(options.Members),
		"-hub="+strconv.FormatBool(!options.NoHub),
		"-workloads="+strconv.FormatBool(!options.NoWorkloads),
		"-dir", s.dir)
	// If Stderr were a file such as os.Stderr, the supervisor would inherit it, and go test would wait until the supervisor ends. For any other writer, exec
	// creates a pipe and copies from it.
	messages := &tee{to: options.Log}
	s.cmd.Stderr = messages
	// Copying ends after this delay even if another process still has the pipe open.
	s.cmd.WaitDelay = stopTimeout
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", binary, err), os.RemoveAll(dir))
	}
	ready := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		ready <- strings.TrimSpace(line)
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	select {
	case line := <-ready:
		path, ok := strings.CutPrefix(line, "ready ")
		if !ok {
			err := s.stop()
			return nil, errors.Join(fmt.Errorf("the clusters did not start: %s", messages.text()), err)
		}
		s.kubeconfig = path
		return s, nil
	case <-ctx.Done():
		err := s.stop()
		return nil, errors.Join(fmt.Errorf("start clusters: %w: %s", context.Cause(ctx), messages.text()), err)
	}
}

// stop stops the supervisor and removes what a killed supervisor did not.
func (s *supervisor) stop() error {
	s.once.Do(func() {
		_ = s.stdin.Close()
		select {
		case <-s.exited:
		case <-time.After(stopTimeout):
			// Its children die with it.
			_ = s.cmd.Process.Kill()
			<-s.exited
			s.stopErr = fmt.Errorf("the test clusters did not stop within %s and were killed", stopTimeout)
		}
		s.stopErr = errors.Join(s.stopErr, os.RemoveAll(s.dir))
	})
	return s.stopErr
}

// control runs commands of the binary on the clusters of a directory.
type control struct{ binary, dir string }

func (c *control) run(ctx context.Context, command, name string) error {
	out, err := exec.CommandContext(ctx, c.binary, command, "-dir", c.dir, name).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", command, name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// tee writes messages to another writer and keeps them for an error.
type tee struct {
	to io.Writer

	mu   sync.Mutex
	kept strings.Builder
}

func (t *tee) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 64 << 10
	if t.kept.Len() < most {
		t.kept.Write(p)
	}
	return t.to.Write(p)
}

func (t *tee) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.kept.String())
}
