package engine

import (
	"errors"
	"fmt"
)

// Assumption is a state of a member that a preview assumes instead of reading it. See [World.Assumed].
type Assumption string

const (
	// AssumeNew is for a member that is not registered. If there is no connection to it, nothing is checked there, and every object counts as created.
	AssumeNew Assumption = "New"
	// AssumeUnreachable is for a member that has not responded for longer than the engine tolerates.
	AssumeUnreachable Assumption = "Unreachable"
	// AssumeGone is for a member that was removed from the fleet.
	AssumeGone Assumption = "Gone"
)

// Values lists the values in their documented order.
func (Assumption) Values() []string {
	return []string{string(AssumeUnreachable), string(AssumeGone), string(AssumeNew)}
}

// AssumedError is the reason why a preview did not check a member: the member is assumed to be unreachable, or it is assumed to be new and the provider has no
// connection to it.
type AssumedError struct {
	Member     string
	Assumption Assumption
}

func (e *AssumedError) Error() string {
	if e.Assumption == AssumeUnreachable {
		return fmt.Sprintf("the member %q is assumed to be unreachable", e.Member)
	}
	return fmt.Sprintf("the member %q is assumed to be new, and the provider has no connection to it", e.Member)
}

// IsAssumed reports whether an error is an [AssumedError] with this assumption.
func IsAssumed(err error, assumption Assumption) bool {
	assumed, is := errors.AsType[*AssumedError](err)
	return is && assumed.Assumption == assumption
}
