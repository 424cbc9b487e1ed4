//go:build unix

package credential

import (
	"os/exec"
	"syscall"
)

// endWithChildren makes the cancellation of a command kill all processes in its group.
func endWithChildren(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}

// endChildren kills the remaining processes in the group of a command that has ended.
func endChildren(command *exec.Cmd) {
	if command.Process != nil {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
}
