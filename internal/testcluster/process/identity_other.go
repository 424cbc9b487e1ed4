//go:build unix && !linux

package process

import (
	"os/exec"
	"strconv"
	"strings"
)

// Identity tells processes that carry the same pid one after the other apart.
// It is empty if there is no such process, or only its unreaped remains.
func Identity(pid int) string {
	out, err := exec.Command("ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	state, start, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || !ok || strings.HasPrefix(state, "Z") {
		return ""
	}
	return strings.TrimSpace(start)
}
