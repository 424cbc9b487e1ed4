package process

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Ref identifies a process even after its end, when its PID may belong to another process.
type Ref struct {
	PID      int    `json:"pid"`
	Identity string `json:"identity"`
}

// RefOf returns the reference to the running process with this PID.
func RefOf(pid int) Ref {
	return Ref{PID: pid, Identity: Identity(pid)}
}

// Alive reports whether the referenced process still runs.
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

// WaitGone waits until the process has ended, and reports whether it has.
func (r Ref) WaitGone(timeout time.Duration) bool {
	const interval = 20 * time.Millisecond
	for deadline := time.Now().Add(timeout); r.Alive(); time.Sleep(interval) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
