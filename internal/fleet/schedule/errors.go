package schedule

import (
	"fmt"
	"strings"
)

// Error is the reason why a scheduling cycle failed. KubeFleet calls this failure "unexpected behavior", and does not retry the cycle.
type Error struct {
	// Cluster is the cluster of the error; empty if the error is about the policy alone.
	Cluster string
	// Where is the part of the policy, or the binding, that the error is about; empty if there is none.
	Where string
	Err   error
}

func (e *Error) Error() string {
	var parts []string
	if e.Cluster != "" {
		parts = append(parts, fmt.Sprintf("cluster %q", e.Cluster))
	}
	if e.Where != "" {
		parts = append(parts, e.Where)
	}
	return strings.Join(append(parts, e.Err.Error()), ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
