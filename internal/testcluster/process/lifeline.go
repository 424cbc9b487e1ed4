package process

import (
	"io"
	"os"
)

// lifelineVariable marks a process whose standard input is a pipe from its
// supervisor.
const lifelineVariable = "FLEET_TESTCLUSTER_LIFELINE"

// FollowParent ends this process as soon as the supervisor that started it is
// gone, however it went: the kernel then closes the pipe. It works on every
// system; on Linux the parent death signal comes on top, for processes that
// are stopped or stuck.
func FollowParent() {
	if os.Getenv(lifelineVariable) == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
}
