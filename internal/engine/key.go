package engine

import (
	"crypto/rand"
	"fmt"
	"io"
)

// Key signs and verifies the records of one placement. It is stored in the private state of the resource and is never printed: all formats of
// package fmt, and JSON, write the same placeholder.
type Key []byte

// keySize is the size of a key in bytes, that of a SHA-256 hash.
const keySize = 32

// NewKey returns a random key.
func NewKey() Key {
	out := make(Key, keySize)
	_, _ = rand.Read(out) // it never returns an error
	return out
}

const hiddenKey = "(sensitive)"

// String returns a placeholder.
func (Key) String() string { return hiddenKey }

// Format writes a placeholder for every verb.
func (Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hiddenKey) }

// MarshalText returns a placeholder.
func (Key) MarshalText() ([]byte, error) { return []byte(hiddenKey), nil }
