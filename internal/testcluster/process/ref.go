package process

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Ref names a process beyond its own life: a pid alone may by now belong to a
// stranger.
type Ref struct {
	PID      int    `json:"pid"`
	Identity string `json:"identity"`
}

// RefOf is the reference to the running process with that pid.
func RefOf(pid int) Ref {
	return Ref{PID: pid, Identity: Identity(pid)}
}

// Alive reports whether the very process that r was made of still runs.
func (r Ref) Alive() bool {
	return r.PID > 1 && r.Identity != "" && Identity(r.PID) == r.Identity
}

// Signal sends a signal to the process if it still runs.
func (r Ref) Signal(signal syscall.Signal) error {
	if !r.Alive() {
		return nil
	}
	err := syscall.Kill(r.PID, signal)
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// WaitGone waits until the process has ended and reports whether it has.
func (r Ref) WaitGone(timeout time.Duration) bool {
	const interval = 20 * time.Millisecond
	for deadline := time.Now().Add(timeout); r.Alive(); time.Sleep(interval) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
