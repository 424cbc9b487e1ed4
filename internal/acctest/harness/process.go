package harness

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// ProviderOf returns the provider's process ID among the children of a Terraform process.
func ProviderOf(t *testing.T, terraform int) int {
	t.Helper()
	pid := ChildOf(terraform, "terraform-provider-fleet")
	if pid == 0 {
		t.Fatal("Terraform runs no provider")
	}
	return pid
}

// ChildOf returns the process ID of a program among the children of a process, 0 if there is none.
func ChildOf(parent int, program string) int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) && strings.Contains(string(command), program) {
			return pid
		}
	}
	return 0
}
