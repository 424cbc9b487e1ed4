package process

import "syscall"

// attributes returns attributes that put a child into its own process group, so that Ctrl-C in a terminal reaches only the supervisor, and that kill the child
// when the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
