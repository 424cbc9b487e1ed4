package kube

import "errors"

// IsOutdated reports whether a write was refused because the object has changed, or has been replaced, since it was read; not because other
// managers' fields stand in the way.
func IsOutdated(err error) bool {
	_, fields := errors.AsType[*ConflictError](err)
	return IsConflict(err) && !fields
}
