package process

import (
	"fmt"
	"os"
	"strings"
)

// startTimeField is the index of the start time, in clock ticks since boot, among the fields after the command name in /proc/PID/stat.
const startTimeField = 19

// Identity distinguishes processes with the same PID at different times. It is empty if the process does not exist or is a zombie.
func Identity(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name is in parentheses and may itself contain spaces and parentheses.
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
