package engine

import (
	"bytes"

	"github.com/google/uuid"
)

// NewID returns the identity of a resource that is being created. It is later than every identity that was given before.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// IsOlderID reports whether an identity was given before another one. It is false if one of them does not have a time.
func IsOlderID(id, other string) bool {
	a, errA := uuid.Parse(id)
	b, errB := uuid.Parse(other)
	return errA == nil && errB == nil && a.Version() == 7 && b.Version() == 7 && bytes.Compare(a[:], b[:]) < 0
}
