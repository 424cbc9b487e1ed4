package process

import (
	"io"
	"os"
)

// lifelineVariable is set for a process whose standard input is a pipe from its supervisor.
const lifelineVariable = "FLEET_TESTCLUSTER_LIFELINE"

// FollowParent ends this process as soon as its supervisor has ended for any reason, because the kernel then closes the pipe. It works on every system. On
// Linux, the parent death signal also ends processes that are stopped or stuck.
func FollowParent() {
	if os.Getenv(lifelineVariable) == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
}
