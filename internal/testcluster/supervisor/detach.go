package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

// noticeFD is the descriptor on which a detached supervisor reports the result of its start: the first of the files that a parent passes on.
const noticeFD = 3

// noticeReady is the notice of success. Any other text is an error.
const noticeReady = "ready"

// stopTimeout bounds how long down waits for a supervisor to stop gracefully.
const stopTimeout = 30 * time.Second

// Detach starts this binary again with args in a new session, and returns when the supervisor in it reports that its clusters are ready.
func Detach(ctx context.Context, args []string) error {
	binary, err := process.Self()
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = read.Close() }()
	cmd := exec.Command(binary, args...)
	cmd.Args[0] = os.Args[0]
	cmd.ExtraFiles = []*os.File{write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		return fmt.Errorf("start the supervisor: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
	defer stop()

	notice, err := io.ReadAll(read)
	switch text := strings.TrimSpace(string(notice)); {
	case err != nil:
		return err
	case text == noticeReady:
		return cmd.Process.Release()
	case text != "":
		return errors.Join(errors.New(text), ctx.Err())
	default:
		return fmt.Errorf("the supervisor ended without output: run up -foreground to see why: %w", cmd.Wait())
	}
}

// Notice is the detached supervisor's end of the pipe. Both success and failure may be reported; the first report counts.
type Notice struct{ file *os.File }

// OpenNotice opens the descriptor that Detach passed on.
func OpenNotice() *Notice {
	syscall.CloseOnExec(noticeFD)
	return &Notice{file: os.NewFile(noticeFD, "notice")}
}

// Ready reports success.
func (n *Notice) Ready() { n.send(noticeReady) }

// Failed reports an error.
func (n *Notice) Failed(err error) { n.send(err.Error()) }

func (n *Notice) send(text string) {
	_, _ = n.file.WriteString(text)
	_ = n.file.Close()
}

// Down stops the run in dir and removes its remaining files and processes. It reports whether there was a run.
func Down(dir string) (bool, error) {
	s, err := readState(dir)
	if errors.Is(err, errNotRunning) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := s.Supervisor.Signal(syscall.SIGTERM); err != nil {
		return true, fmt.Errorf("stop the supervisor (pid %d): %w", s.Supervisor.PID, err)
	}
	if !s.Supervisor.WaitGone(stopTimeout) {
		if err := s.Supervisor.Signal(syscall.SIGKILL); err != nil {
			return true, err
		}
		s.Supervisor.WaitGone(stopTimeout)
	}
	// A supervisor that stopped gracefully has removed everything.
	if latest, err := readState(dir); err == nil {
		return true, clearRun(dir, latest)
	}
	return true, nil
}
