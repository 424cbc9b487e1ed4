package engine

import (
	"bytes"

	"github.com/google/uuid"
)

// NewID returns the ID of a new resource. IDs sort by the time of their creation.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// IsOlderID reports whether an ID was created before another one. It returns false if one of the IDs is not a UUID of version 7: only this version contains the
// time.
func IsOlderID(id, other string) bool {
	a, errA := uuid.Parse(id)
	b, errB := uuid.Parse(other)
	return errA == nil && errB == nil && a.Version() == 7 && b.Version() == 7 && bytes.Compare(a[:], b[:]) < 0
}
