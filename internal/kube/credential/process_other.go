//go:build !unix

package credential

import "os/exec"

// endWithChildren ends the command alone: there are no process groups.
func endWithChildren(*exec.Cmd) {}
