//go:build !unix

package credential

import "os/exec"

// endWithChildren has no effect where there are no process groups: only the command itself is ended.
func endWithChildren(*exec.Cmd) {}

// endChildren has no effect: the children of a command that has ended are unknown.
func endChildren(*exec.Cmd) {}
