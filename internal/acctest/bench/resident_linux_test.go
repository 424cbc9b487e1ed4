package bench_test

import (
	"os"
	"syscall"
)

// maxResident is the most memory that an ended process had, in KiB.
func maxResident(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss
}
