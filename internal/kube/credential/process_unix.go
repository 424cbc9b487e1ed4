//go:build unix

package credential

import (
	"os/exec"
	"syscall"
)

// endWithChildren makes the end of a command that of all processes that it has started.
func endWithChildren(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
