//go:build unix && !linux

package process

import "syscall"

// attributes returns attributes that put a child into its own process group, so that Ctrl-C in a terminal reaches only the supervisor.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
