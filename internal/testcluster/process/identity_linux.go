package process

import (
	"fmt"
	"os"
	"strings"
)

// startTimeField is the position of the start time, in clock ticks since boot,
// among the fields of /proc/PID/stat that follow the command's name.
const startTimeField = 19

// Identity tells processes that carry the same pid one after the other apart.
// It is empty if there is no such process, or only its unreaped remains.
func Identity(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name is in parentheses and may itself hold blanks and parentheses.
	end := strings.LastIndexByte(string(stat), ')')
	if end < 0 {
		return ""
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) <= startTimeField || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[startTimeField]
}
