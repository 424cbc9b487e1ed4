//go:build unix && !linux

package process

import (
	"os/exec"
	"strconv"
	"strings"
)

// Identity distinguishes processes with the same PID at different times. It is empty if the process does not exist or is a zombie.
// Everything after "=" in an option of ps is the header of a column, so that each column needs an option of its own.
func Identity(pid int) string {
	out, err := exec.Command("ps", "-o", "stat=", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	state, start, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || !ok || strings.HasPrefix(state, "Z") {
		return ""
	}
	return strings.TrimSpace(start)
}
