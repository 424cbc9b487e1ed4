//go:build !unix

package credential

import "os/exec"

// endWithChildren ends the command alone: there are no process groups.
func endWithChildren(*exec.Cmd) {}

// endChildren ends nothing: the children of a command that has ended are not known.
func endChildren(*exec.Cmd) {}
