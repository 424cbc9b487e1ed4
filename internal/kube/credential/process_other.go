//go:build !unix

package credential

import "os/exec"

// endWithChildren has no effect on systems without process groups: the cancellation kills only the command itself.
func endWithChildren(*exec.Cmd) {}

// endChildren has no effect, because the children of a command that has ended are unknown.
func endChildren(*exec.Cmd) {}
