//go:build unix && !linux

package process

import "syscall"

// attributes put a child into a process group of its own, so that Ctrl-C in a
// terminal reaches the supervisor alone.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
