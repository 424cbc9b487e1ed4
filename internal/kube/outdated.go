package kube

import "errors"

// IsOutdated reports whether a write was rejected because the object has changed or been replaced since it was read. Conflicts with field
// managers do not count.
func IsOutdated(err error) bool {
	_, fields := errors.AsType[*ConflictError](err)
	return IsConflict(err) && !fields
}
